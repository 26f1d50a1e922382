// Sounds of a clock, made by the browser: a level begins, one minute left, a break is over, hand-for-hand.
//
//   [data-sound]          around the controls, shown where the browser can make sounds
//   [data-sound-button]   turns them on or off; a browser makes no sound before the first tap, and the button says so
//   [data-sound-volume]   how loud, 0 to 100
//   data-round            on or in the refreshed part while hand-for-hand is played
//
// js/clock.js says at each look how the first clock of the page stands ("clock:stands").
(() => {
  "use strict";

  const controls = document.querySelector("[data-sound]");
  const Context = window.AudioContext || window.webkitAudioContext;
  if (!controls || !Context) return;

  const button = controls.querySelector("[data-sound-button]");
  const volume = controls.querySelector("[data-sound-volume]");
  const LATE_MS = 5_000; // what happened while the page slept makes no sound any more
  const MINUTE_MS = 60_000;

  // frequency in hertz, start and length in seconds
  const TUNES = {
    level: [[660, 0, 0.25], [880, 0.28, 0.5]],
    minute: [[740, 0, 0.16], [740, 0.26, 0.16]],
    break: [[880, 0, 0.3], [660, 0.32, 0.3], [523, 0.64, 0.6]],
    over: [[523, 0, 0.2], [660, 0.22, 0.2], [880, 0.44, 0.6]],
    hand: [[587, 0, 0.2], [587, 0.3, 0.2], [784, 0.6, 0.5]],
  };

  function kept(name, otherwise) {
    try {
      return window.localStorage.getItem(name) ?? otherwise;
    } catch {
      return otherwise; // the browser keeps nothing for this page
    }
  }

  function keep(name, value) {
    try {
      window.localStorage.setItem(name, value);
    } catch {
      // it holds until the page is closed
    }
  }

  let context = null;
  let wanted = kept("sound", "off") === "on";
  volume.value = kept("volume", "70");

  const isReady = () => context?.state === "running";

  function tell() {
    controls.hidden = false;
    button.textContent = !wanted ? "Sound is off" : isReady() ? "Sound is on" : "Tap for sound";
    button.setAttribute("aria-pressed", String(wanted && isReady()));
    button.classList.toggle("asks", wanted && !isReady());
    volume.hidden = !wanted;
  }

  function wake() {
    if (!wanted) return;
    context ??= new Context();
    context.resume().then(tell, tell);
  }

  function play(name) {
    if (!wanted || !isReady()) return;
    document.dispatchEvent(new CustomEvent("sound:played", { detail: name }));
    const master = context.createGain();
    master.gain.value = (Number(volume.value) / 100) ** 2;
    master.connect(context.destination);
    for (const [hertz, start, length] of TUNES[name]) {
      const from = context.currentTime + start;
      const tone = context.createOscillator();
      const envelope = context.createGain();
      tone.type = "triangle";
      tone.frequency.value = hertz;
      envelope.gain.setValueAtTime(0, from);
      envelope.gain.linearRampToValueAtTime(0.8, from + 0.02);
      envelope.gain.exponentialRampToValueAtTime(0.001, from + length);
      tone.connect(envelope).connect(master);
      tone.start(from);
      tone.stop(from + length + 0.05);
    }
  }

  button.addEventListener("click", () => {
    wanted = !(wanted && isReady());
    keep("sound", wanted ? "on" : "off");
    if (wanted) {
      context ??= new Context();
      context.resume().then(() => {
        tell();
        play("minute");
      }, tell);
    } else tell();
  });
  volume.addEventListener("change", () => {
    keep("volume", volume.value);
    play("minute");
  });
  // any tap on the page will do for a browser that has made sounds here before
  document.addEventListener("pointerdown", (event) => {
    if (!controls.contains(event.target)) wake();
  });

  // --- what happens on the clock ----------------------------------------------------------------------------------------

  let last = null;
  let warned = -1; // the level or break of which the last minute was told
  let round = Boolean(document.querySelector("[data-round]"));

  document.addEventListener("clock:stands", (event) => {
    const now = event.detail;
    const runs = now.status === "running" || now.status === "break";
    if (last && runs && now.position !== last.position && now.at - last.at < LATE_MS) {
      play(now.status === "break" ? "break" : last.status === "break" ? "over" : "level");
    }
    const crosses = last?.position === now.position && last.left > MINUTE_MS && now.left <= MINUTE_MS && last.left - now.left < LATE_MS;
    if (runs && crosses && warned !== now.position) {
      warned = now.position;
      play("minute");
    }
    const hand = Boolean(document.querySelector("[data-round]"));
    if (hand && !round) play("hand");
    round = hand;
    last = now;
  });

  tell();
  wake();
})();
