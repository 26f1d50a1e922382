// The hands of the desk: what was typed decides, not what the list still shows from before.
(() => {
  "use strict";

  const find = document.getElementById("find");

  // Between a key and the answer the list is out of date: Enter then sends the words themselves, and the server chooses.
  find.addEventListener("input", () => document.getElementById("hits").removeAttribute("data-hits"));

  // A list that was asked for with other words, such as one refreshed while somebody typed, must not come back: Enter
  // would open whom it shows.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id !== "hits") return;
    const asked = new URL(event.detail.xhr.responseURL).searchParams.get("q") ?? "";
    if (asked !== find.value) event.detail.shouldSwap = false;
  });

  // The hit whose card is open stays marked.
  document.addEventListener("click", (event) => {
    const hit = event.target.closest(".hit");
    if (!hit) return;
    for (const other of document.querySelectorAll(".hit[aria-current]")) other.removeAttribute("aria-current");
    hit.setAttribute("aria-current", "true");
  });

  // A link to a part that is folded unfolds it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-open]");
    const part = link && document.getElementById(link.dataset.open);
    if (!part) return;
    event.preventDefault();
    part.setAttribute("open", "");
    part.querySelector("input[name=birth_date]")?.focus();
  });

  // What a form of the card sent is answered by the card itself. News of it that is quicker must not take the form away
  // meanwhile, nor the cursor with it.
  let sending = 0;
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { verb, triggeringEvent } = event.detail.requestConfig;
    const card = document.getElementById("card");
    if (verb === "post" && card.contains(event.detail.elt)) {
      sending += 1;
      window.htmx.trigger(card, "htmx:abort");
    } else if (sending && triggeringEvent?.type === "refresh" && event.detail.elt === card) event.preventDefault();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig.verb === "post") sending = 0;
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
    const fields = [...(step?.querySelectorAll("input:not([type=hidden]), button") ?? [])];
    const empty = fields.find((field) => field.type === "text" && !field.value);
    const first = fields[0]?.type === "text" && empty ? empty : fields[0];
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
