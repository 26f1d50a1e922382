// The hands of the desk: what was typed decides, not what the list still shows from before.
(() => {
  "use strict";

  const find = document.getElementById("find");

  // Between a key and the answer the list is out of date: Enter then sends the words themselves, and the server chooses.
  find.addEventListener("input", () => document.getElementById("hits").removeAttribute("data-hits"));

  // The hit whose card is open stays marked.
  document.addEventListener("click", (event) => {
    const hit = event.target.closest(".hit");
    if (!hit) return;
    for (const other of document.querySelectorAll(".hit[aria-current]")) other.removeAttribute("aria-current");
    hit.setAttribute("aria-current", "true");
  });

  // Where the hands go on: at the first step of a card that was just opened; back in the search, its words marked, once
  // a player is served. Errors take the cursor by themselves (data-focus in app.js).
  function goOn() {
    const card = document.getElementById("card");
    if (card.querySelector("[data-focus]")) return;
    if (card.querySelector("[data-served]")) {
      find.focus();
      find.select();
      return;
    }
    const step = card.querySelector("form[data-step]");
    const chosen = step?.querySelector("input[type=radio]:checked");
    const first = step?.querySelector("input:not([type=hidden]), button");
    const same = chosen && first?.name === chosen.name;
    (same ? chosen : first)?.focus();
  }
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id !== "card") return;
    const { verb, triggeringEvent } = event.detail.requestConfig;
    if (triggeringEvent?.type !== "refresh") goOn();
    if (verb !== "post") return;
    for (const id of ["hits", "places"]) window.htmx.trigger(document.getElementById(id), "refresh");
  });
  goOn();
})();
