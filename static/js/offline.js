// Registers the service worker, which keeps pages for when there is no network, and leaves a kept copy once there is one.
(() => {
  "use strict";

  const LOOK_MS = 5_000;
  const JITTER_MS = 3_000; // a whole hall comes back at once

  async function leave() {
    try {
      const answer = await fetch("/health/", { cache: "no-store" });
      const { database } = await answer.json(); // a proxy answers something else; a part of the site may be away
      if (database) window.setTimeout(() => window.location.reload(), Math.random() * JITTER_MS);
    } catch {
      // still away
    }
  }

  if ("offline" in document.body.dataset) {
    window.setInterval(leave, LOOK_MS);
    window.addEventListener("online", leave);
    return;
  }
  if (!navigator.serviceWorker) return; // only with HTTPS, or on the machine itself
  window.addEventListener("load", async () => {
    try {
      const isNew = !navigator.serviceWorker.controller;
      await navigator.serviceWorker.register("/service-worker.js");
      const worker = (await navigator.serviceWorker.ready).active;
      const files = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => new URL(name).pathname.startsWith("/static/"));
      if (isNew) worker.postMessage({ keep: [window.location.href.split("#")[0], ...files] });
    } catch {
      // without it the page works as before, as long as there is a network
    }
  });
})();
