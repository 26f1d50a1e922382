// Long lists on a screen in the hall turn their pages by themselves: [data-pages] is as wide as the screen and its columns run
// on to the right; [data-page-number] says which page it is. The page survives a refresh of the list.
(() => {
  "use strict";

  const PAGE_MS = 10_000;
  let page = 0;

  function show() {
    const list = document.querySelector("[data-pages]");
    const number = document.querySelector("[data-page-number]");
    if (!list || !number) return;
    const pages = Math.max(1, Math.ceil((list.scrollWidth - 4) / list.clientWidth));
    page %= pages;
    list.scrollLeft = page * list.clientWidth;
    number.textContent = pages > 1 ? `${page + 1} of ${pages}` : "";
  }

  window.setInterval(() => {
    page += 1;
    show();
  }, PAGE_MS);
  document.addEventListener("htmx:afterSettle", show);
  window.addEventListener("resize", show);
  window.addEventListener("load", show);
  document.fonts?.ready.then(show);
})();
