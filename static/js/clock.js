// Tournament clocks that count down by themselves.
//
//   data-clock="{…}"             what the server said of one clock (tables/reads/screens.py); the words are all in there
//   data-clock-part="time"       inside: filled with the figure, title, state, blinds, note, next, next_at, break_at, break_in, break_note
//   <progress data-clock-part="bar">
//   data-clock-show="next"       inside: hidden while that part has nothing to say
//   data-fullscreen              a button that fills the screen, shown where the browser can
//   data-since="1796010000000"   counts up from an instant, data-until counts down to one (the page has a clock, which knows the time)
//   data-action-clock            a player on the clock: data-now, data-countdown and data-deadline are instants, and inside
//   data-action-part="figure"    the seconds of the minute, then of the countdown; "phase" says which
//   data-gone-at="1796010000000" hidden from an instant on
//   <body data-wake>             the screen stays on
//
// Time is an instant: what is shown follows from the instant at which the level ends and from the time of day at the server,
// so that a busy or sleeping machine shows the right time the moment it looks again.
(() => {
  "use strict";

  const TICK_MS = 200;
  const BEST_MS = 5 * 60_000; // for so long an answer is believed against later ones: our own clock may be moving slowly
  const JUMP_MS = 1_000; // the time of day moved apart from the time that passed: sleep, or somebody set the machine's clock

  // --- the time at the server -----------------------------------------------------------------------------------------

  let offset = 0; // server's time less ours
  let best = null; // an answer is late by its way here, so the latest server time seen is the truest
  let learnt = 0; // when it was seen, in time that passed
  let received = performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.responseStart || performance.now());
  let wall = Date.now();
  let passed = performance.now();

  let fetched = !("offline" in document.body.dataset); // a copy kept from before tells an old time: our own is truer

  function learn(serverNow) {
    if (!fetched) return;
    const sample = serverNow - received;
    if (best !== null && sample <= best && performance.now() - learnt < BEST_MS) return;
    best = offset = sample;
    learnt = performance.now();
  }

  function watchForJumps() {
    const gap = Date.now() - wall - (performance.now() - passed);
    wall = Date.now();
    passed = performance.now();
    if (Math.abs(gap) < JUMP_MS) return;
    best = null;
    // Set back, or by what it was wrong: the time at the server has not jumped. Anything else is sleep, which it has gone through.
    if (gap < 0 || Math.abs(offset - gap) < Math.abs(offset)) offset -= gap;
    for (const element of document.querySelectorAll("[data-clock][hx-get]")) window.htmx?.trigger(element, "refresh");
  }

  // --- the state of a clock at an instant, as tables/domain/clock.py has it ---------------------------------------------

  const known = new WeakMap();

  function said(element) {
    if (!known.has(element)) {
      const clock = JSON.parse(element.dataset.clock);
      learn(clock.now);
      known.set(element, clock);
    }
    return known.get(element);
  }

  // Carries out the changes of level due at `now`; each deadline is reckoned from the one before.
  function advance(clock, now) {
    const { items } = clock;
    while (clock.status === "running" && clock.ends_at <= now) {
      const pauses = clock.pause_after;
      clock.pause_after = false;
      clock.position += 1;
      if (clock.position === items.length) {
        clock.position = Math.max(items.findLastIndex((item) => !item.break), 0);
        clock.status = pauses ? "paused" : "overtime";
        clock.left = 0;
      } else if (pauses) {
        clock.status = "paused";
        clock.left = items[clock.position].ms;
      } else {
        clock.ends_at += items[clock.position].ms;
      }
    }
    if (clock.status === "running") clock.left = clock.ends_at - now;
  }

  // --- in words -------------------------------------------------------------------------------------------------------

  const two = (number) => String(number).padStart(2, "0");

  function countdown(ms) {
    const seconds = Math.max(0, Math.ceil(ms / 1000));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  }

  function duration(ms) {
    const minutes = Math.max(1, Math.floor(ms / 60_000));
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return [hours && `${hours} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(" ");
  }

  const formats = new Map();

  function timeOfDay(instant, zone) {
    if (!formats.has(zone)) {
      formats.set(zone, new Intl.DateTimeFormat("en-NZ", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone }));
    }
    return formats.get(zone).format(instant);
  }

  function before(clock, now) {
    const until = clock.starts_at - now;
    if (until > 86_400_000) return { title: clock.start.day, time: clock.start.time };
    if (until > 0) return { title: clock.start.soon, time: countdown(until) };
    return { title: clock.start.due, time: countdown(clock.items[0].ms) };
  }

  function words(clock, now) {
    const { items, position, status } = clock;
    const item = items[position];
    const state = status === "running" && item.break ? "break" : status;
    const parts = { state: clock.states[state][0], tone: clock.states[state][1], status: state };
    if (state === "ended" || state === "cancelled") return { ...parts, time: clock.instead[state] };
    const coming = (isBreak) => (status === "not_started" ? -1 : items.findIndex((later, at) => at > position && later.break === isBreak));
    const [next, rest] = [coming(false), coming(true)];
    const untilStart = (of) => items.slice(position + 1, of).reduce((sum, between) => sum + between.ms, clock.left);
    const at = (of) => (status === "running" && of > 0 ? timeOfDay(now + untilStart(of), clock.zone) : "");
    return {
      ...parts,
      title: item.title,
      time: clock.instead[state] || countdown(clock.left),
      blinds: item.blinds,
      note: item.note,
      next: next > 0 ? items[next].blinds : "",
      next_at: at(next),
      break_at: at(rest),
      break_in: rest > 0 && status !== "overtime" ? duration(untilStart(rest)) : "",
      break_note: rest > 0 ? items[rest].colour_up : "",
      bar: [Math.ceil(clock.left / 1000), item.ms / 1000],
      ...(status === "not_started" && before(clock, now)),
    };
  }

  // --- on the page ----------------------------------------------------------------------------------------------------

  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function show(element, now) {
    const clock = said(element);
    advance(clock, now);
    const parts = words(clock, now);
    if (element.dataset.state !== parts.status) element.dataset.state = parts.status;
    element.toggleAttribute("data-last-minute", ["running", "break"].includes(parts.status) && clock.left <= 60_000);
    for (const part of element.querySelectorAll("[data-clock-part]")) {
      const name = part.dataset.clockPart;
      if (name === "bar") [part.value, part.max] = parts.bar || [0, 1];
      else put(part, parts[name] || "");
      if (name === "state" && part.classList.contains("tag")) part.className = `tag ${parts.tone}`;
      if (name === "time") part.classList.toggle("long", (parts.time || "").length > 5);
    }
    for (const part of element.querySelectorAll("[data-clock-show]")) {
      part.hidden = !parts[part.dataset.clockShow];
    }
  }

  function showAction(element, now) {
    const counting = now >= Number(element.dataset.countdown);
    const left = Math.max(0, Math.ceil((element.dataset[counting ? "deadline" : "countdown"] - now) / 1000));
    const phase = counting ? (left ? "countdown: act now" : "time is up") : "seconds to act";
    for (const part of element.querySelectorAll("[data-action-part]")) {
      put(part, part.dataset.actionPart === "figure" ? String(left) : phase);
    }
    element.classList.toggle("counting", counting);
  }

  const told = new WeakSet();

  function tick() {
    watchForJumps();
    for (const element of document.querySelectorAll("[data-now]")) {
      if (!told.has(element)) learn(Number(element.dataset.now));
      told.add(element);
    }
    const elements = [...document.querySelectorAll("[data-clock]")];
    elements.forEach(said); // all of them tell the time before any shows it
    const now = Date.now() + offset;
    for (const element of elements) show(element, now);
    if (elements.length) {
      const { position, left } = said(elements[0]);
      const detail = { position, left, status: elements[0].dataset.state, at: now };
      document.dispatchEvent(new CustomEvent("clock:stands", { detail }));
    }
    for (const element of document.querySelectorAll("[data-action-clock]")) showAction(element, now);
    for (const element of document.querySelectorAll("[data-gone-at]")) element.hidden = now >= element.dataset.goneAt;
    // a second more is counted down when it has begun, and counted up when it is over
    for (const element of document.querySelectorAll("[data-since]")) put(element, countdown(Math.max(0, now - element.dataset.since - 999)));
    for (const element of document.querySelectorAll("[data-until]")) put(element, countdown(element.dataset.until - now));
  }

  document.addEventListener("htmx:beforeSwap", () => {
    received = Date.now();
    fetched = true;
  });
  document.addEventListener("htmx:afterSwap", tick);
  document.addEventListener("visibilitychange", tick);
  window.setInterval(tick, TICK_MS);
  tick();

  // --- a screen in the hall -------------------------------------------------------------------------------------------

  for (const button of document.querySelectorAll("[data-fullscreen]")) {
    button.hidden = !document.fullscreenEnabled;
    button.addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen();
    });
  }

  // The browser lets go of the lock when the page is out of sight. Not every browser, and not every address, has one.
  function stayAwake() {
    if ("wake" in document.body.dataset && !document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
  }
  document.addEventListener("visibilitychange", stayAwake);
  stayAwake();
})();
