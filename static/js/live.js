// Live pages: says to each part of the page that something it shows has changed; the part then fetches itself.
//
//   <body data-live="event:12" data-live-seq="45">    the topic to listen to, and the last change that the page shows for certain
//   <section data-live-on="tables.seat series.entry"  refreshed when one of these models changed, or one row of a model
//                                                     that is told by row ("tables.table:17"); "*" for any change
//            hx-get="…" hx-trigger="refresh" hx-swap="outerHTML">
//   data-live-jitter                                  on a part or anything around it: wait up to 300 ms more (public pages),
//                                                     or up to as many milliseconds as it says
//   <span data-live-state>                            shows "live" or "not live"
//
// The stream only hints; losing it costs freshness, never truth. While it is away, all parts refresh every ten seconds.
(() => {
  "use strict";

  const MERGE_MS = 100;
  const JITTER_MS = 300;
  const SILENCE_MS = 25_000; // the server gives a sign of life every 15 s
  const GRACE_MS = 5_000; // a stream that ended is usually back within this
  const POLL_MS = 10_000;
  const TICK_MS = 1_000;
  const SLEPT_MS = 20_000; // a tick this late means that the machine slept
  const AGAIN_MS = 2_000; // until a part that could not be fetched is tried again; twice as long each time, up to POLL_MS
  const HIDDEN_MS = 60_000; // a browser opens few streams to one host: pages out of sight give theirs back
  const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

  const { live: topic, liveSeq: seq } = document.body.dataset;
  if (!topic) return;

  let source = null;
  let heard = 0; // when the stream last gave a sign of life; 0 while there is none
  let lost = 0; // when the stream broke off; 0 while it holds
  let polled = Date.now();
  let ticked = Date.now();
  let failures = 0;
  let missed = false; // the stream was closed by us: what happened meanwhile is not sent again
  let retry = 0;
  let hide = 0;
  let merge = 0;
  let touched = new Set();

  // --- refreshing the parts -----------------------------------------------------------------------------------------

  function parts(touches) {
    const wanted = [...document.querySelectorAll("[data-live-on]")].filter((part) => {
      if (touches === null || touches.has("*")) return true;
      return part.dataset.liveOn.split(/\s+/).some((name) => name === "*" || touches.has(name));
    });
    return wanted.filter((part) => !wanted.some((other) => other !== part && other.contains(part)));
  }

  // A refresh would throw away what somebody typed or chose, and what is wrong with what they sent. Their part waits until
  // that is sent or taken back.
  const held = new WeakSet();

  function isChanged(field) {
    if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    const options = [...field.options];
    const preset = options.findLast((option) => option.defaultSelected) ?? options.find((option) => !option.disabled);
    return field.selectedOptions[0] !== preset;
  }

  function isHeld(part) {
    const fields = [...part.querySelectorAll("input:not([type=hidden]), select, textarea")];
    if (!fields.some(isChanged) && !part.querySelector("form .errors, form [aria-invalid=true]")) return false;
    held.add(part);
    return true;
  }

  function letGo(event) {
    const part = event.target.closest("[data-live-on]");
    if (held.delete(part)) refresh(part);
  }
  document.addEventListener("input", letGo);
  document.addEventListener("change", letGo);
  document.addEventListener("reset", (event) => window.setTimeout(letGo, 0, event)); // the fields are reset after it

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { requestConfig, target } = event.detail;
    // typed while the answer was on its way
    if (target === requestConfig.elt && isPart(target) && isHeld(target)) event.detail.shouldSwap = false;
  });

  // htmx forgets a second refresh of a part whose first one is still under way, as the part is replaced meanwhile.
  const underway = new WeakSet();
  const again = new WeakSet();
  const isPart = (element) => element?.matches?.("[data-live-on]");

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isPart(event.detail.elt)) underway.add(event.detail.elt);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (isPart(event.target) && again.delete(event.detail.requestConfig?.elt)) refresh(event.target);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr } = event.detail;
    if (!underway.delete(elt)) return;
    if (xhr.status === 0 || xhr.status >= 500) {
      tryAgain(elt);
      return;
    }
    pauses.delete(elt);
    // answered, but not replaced, as there was nothing new then
    if (elt.isConnected && again.delete(elt)) window.setTimeout(refresh, 0, elt);
  });

  const pauses = new WeakMap(); // of the parts that could not be fetched: how long the next one is
  const retries = new WeakMap();

  function tryAgain(part) {
    if (!isLive()) {
      missed = true; // polled until the stream is back, and fetched then
      return;
    }
    const pause = pauses.get(part) ?? AGAIN_MS;
    pauses.set(part, Math.min(pause * 2, POLL_MS));
    window.clearTimeout(retries.get(part));
    retries.set(part, window.setTimeout(refresh, pause * (0.5 + Math.random()), part));
  }

  function refresh(part) {
    if (!part.isConnected) return;
    if (underway.has(part)) {
      again.add(part);
      return;
    }
    if (isHeld(part)) return;
    window.htmx.trigger(part, "refresh");
  }

  // What changes while a part waits for its turn comes with the same refresh.
  const waiting = new WeakSet();

  function refreshWithin(part, most) {
    if (underway.has(part)) {
      again.add(part);
      return;
    }
    if (waiting.has(part)) return;
    waiting.add(part);
    window.setTimeout(() => {
      waiting.delete(part);
      // another request may have replaced it, with what it showed before the change
      const present = part.isConnected ? part : document.getElementById(part.id);
      if (present) refresh(present);
    }, Math.random() * most);
  }

  function refreshParts(touches) {
    for (const part of parts(touches)) {
      const spread = part.closest("[data-live-jitter]");
      if (spread) refreshWithin(part, Number(spread.dataset.liveJitter) || JITTER_MS);
      else refresh(part);
    }
  }

  function refreshAll() {
    polled = Date.now();
    refreshParts(null);
  }

  function onChange(event) {
    onSign();
    for (const name of JSON.parse(event.data).touches) touched.add(name);
    window.clearTimeout(merge);
    merge = window.setTimeout(() => {
      const touches = touched;
      touched = new Set();
      refreshParts(touches);
    }, MERGE_MS);
  }

  // --- the stream ---------------------------------------------------------------------------------------------------

  function onSign() {
    heard = Date.now();
    lost = 0;
    show();
  }

  function open() {
    close();
    if (document.hidden && missed) return;
    // what changed between the making of the page and its stream is told at once
    const after = seq && !missed ? `&after=${seq}` : "";
    source = new EventSource(`/live/?topic=${encodeURIComponent(topic)}${after}`);
    source.addEventListener("open", () => {
      failures = 0;
      if (missed) refreshAll();
      missed = false;
      onSign();
    });
    source.addEventListener("change", onChange);
    source.addEventListener("beat", onSign);
    source.addEventListener("error", () => {
      lost ||= Date.now();
      // CONNECTING: the browser tries again by itself and says where it left off (Last-Event-ID)
      if (source.readyState === EventSource.CLOSED) openLater();
    });
  }

  function openLater() {
    close();
    missed = true;
    const pause = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
    retry = window.setTimeout(open, pause * (0.5 + Math.random()));
  }

  function openAfresh() {
    missed = true;
    failures = 0;
    refreshAll();
    open();
  }

  function close() {
    window.clearTimeout(retry);
    if (source) source.close();
    source = null;
    heard = lost = 0;
  }

  function isLive() {
    const now = Date.now();
    return source !== null && now - heard < SILENCE_MS && (lost === 0 || now - lost < GRACE_MS);
  }

  function show() {
    const live = isLive();
    for (const state of document.querySelectorAll("[data-live-state]")) {
      const text = live ? "live" : "not live";
      if (state.textContent === text) continue;
      state.hidden = false;
      state.textContent = text;
      state.classList.toggle("live", true);
      state.classList.toggle("not", !live);
      state.classList.toggle("go", live);
      state.classList.toggle("warn", !live);
    }
  }

  // --- what happens to the page -------------------------------------------------------------------------------------

  window.setInterval(() => {
    const now = Date.now();
    const slept = now - ticked > SLEPT_MS;
    ticked = now;
    if (document.hidden) return;
    if (slept) return openAfresh();
    // open, but silent: a dead connection
    if (source?.readyState === EventSource.OPEN && now - heard >= SILENCE_MS) openLater();
    show();
    if (!isLive() && navigator.onLine && now - polled >= POLL_MS) refreshAll();
  }, TICK_MS);

  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(hide);
    if (document.hidden) {
      hide = window.setTimeout(() => {
        close();
        missed = true;
      }, HIDDEN_MS);
    } else if (!isLive()) openAfresh();
  });
  window.addEventListener("online", openAfresh);
  window.addEventListener("offline", () => {
    close();
    missed = true;
    show();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) openAfresh();
  });

  open();
})();
