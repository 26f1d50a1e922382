// Small helps for the hands. Every page works without this file.
//
//   data-find           the field that "/" puts the cursor in
//   data-hits           a list of links or buttons: arrows walk, Enter in the data-find field opens the first
//   data-confirm="…"    on a form or a submit button: asks before sending; data-confirm-yes="…" names the button
//   data-focus          takes the cursor when the page or a fragment arrives (errors above a form)
//   data-seen           is brought into sight when it arrives, without moving the cursor
//   data-print          a button that prints the page
//   data-working="…"    on a submit button whose answer may take a while: what it says meanwhile
(() => {
  "use strict";

  // --- telling ------------------------------------------------------------------------------------------------------

  function toast(text, tone) {
    const notice = document.createElement("div");
    notice.className = `notice ${tone}`;
    notice.textContent = text;
    document.getElementById("toasts").replaceChildren(notice);
    notice.addEventListener("click", () => notice.remove());
    window.setTimeout(() => notice.remove(), 8_000);
  }

  const SAYS = {
    0: "The site cannot be reached. What you typed is still here; try again.",
    403: "Your role does not allow this.",
    404: "This is not there any more. Load the page again.",
    429: "Too many tries. Wait a moment.",
  };

  // A whole page in answer to a request for a part of one: a refusal, or a log-in that has run out.
  function wholePage(xhr) {
    const text = xhr.responseText || "";
    if (!/^\s*<!doctype/i.test(text)) return null;
    return new DOMParser().parseFromString(text, "text/html");
  }

  function say(xhr) {
    const words = wholePage(xhr)?.querySelector("[data-refusal]")?.textContent.trim();
    toast(words || SAYS[xhr.status] || "Something went wrong on our side. Nothing was changed.", "stop");
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const page = event.detail.shouldSwap && wholePage(event.detail.xhr);
    if (!page) return;
    if (page.querySelector("[data-refusal]")) {
      event.detail.shouldSwap = false;
      say(event.detail.xhr);
    } else if (page.querySelector("[data-entrance]")) {
      event.detail.shouldSwap = false;
      window.location.assign(window.location.href); // asks to sign in and comes back here
    }
  });
  // A refresh that did not come through is the business of the live state, not of the person.
  const isRefresh = (event) => event.detail.requestConfig?.triggeringEvent?.type === "refresh";
  document.addEventListener("htmx:responseError", (event) => {
    if (!isRefresh(event)) say(event.detail.xhr);
  });
  document.addEventListener("htmx:sendError", (event) => {
    if (!isRefresh(event)) toast(SAYS[0], "stop");
  });

  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.verb === "get") return;
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    if (token) event.detail.headers["X-CSRFToken"] = token[1];
  });

  // --- what is open stays open --------------------------------------------------------------------------------------

  let opened = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    opened = [...event.detail.target.querySelectorAll("details[id][open]")].map((details) => details.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    opened = [];
  });

  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.removeAttribute("open");
    }
    if (event.target.closest("[data-print]")) window.print();
  });

  // --- what is in sight stays where it is when a part above it is replaced ------------------------------------------

  const root = document.documentElement;
  let below = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const isAbove = event.detail.target.getBoundingClientRect().bottom <= 0;
    below = event.detail.shouldSwap && isAbove ? root.scrollHeight - root.scrollTop : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (below !== null) root.scrollTop = root.scrollHeight - below;
    below = null;
  });

  // The links of the bar are scrolled sideways on a phone: the page one is on stands in sight.
  const links = document.querySelector(".links");
  const current = links?.querySelector(":scope > [aria-current]");
  if (current && links.scrollWidth > links.clientWidth) {
    const end = current.offsetLeft + current.offsetWidth + 104 - links.clientWidth; // beside "More"
    if (end > links.scrollLeft) links.scrollLeft = end;
  }

  // --- asking -------------------------------------------------------------------------------------------------------

  function ask(text, yes) {
    return new Promise((resolve) => {
      const dialog = document.createElement("dialog");
      const words = document.createElement("p");
      const form = document.createElement("form");
      words.textContent = text;
      form.method = "dialog";
      form.className = "toolbar";
      for (const [value, label, css] of [["", "Cancel", "btn"], ["yes", yes, "btn main"]]) {
        const button = document.createElement("button");
        button.value = value;
        button.textContent = label;
        button.className = css;
        form.append(button);
      }
      dialog.append(words, form);
      dialog.addEventListener("close", () => {
        resolve(dialog.returnValue === "yes");
        dialog.remove();
      });
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  const sure = new WeakSet();
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const asks = event.submitter?.closest("[data-confirm]") || form.closest("[data-confirm]");
      if (!asks || sure.delete(form)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      ask(asks.dataset.confirm, asks.dataset.confirmYes || "Yes").then((yes) => {
        if (!yes) return;
        sure.add(form);
        form.requestSubmit(event.submitter);
      });
    },
    true,
  );

  // --- waiting ------------------------------------------------------------------------------------------------------

  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.defaultPrevented || !button?.dataset.working) return;
    const words = button.textContent;
    button.textContent = button.dataset.working;
    button.setAttribute("aria-busy", "true");
    window.addEventListener("pagehide", () => {
      button.textContent = words; // as it was, for whoever comes back to this page
      button.removeAttribute("aria-busy");
    });
  });

  // --- the keyboard -------------------------------------------------------------------------------------------------

  const isWriting = (element) => element.matches("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "/" && !isWriting(event.target)) {
      const find = document.querySelector("[data-find]");
      if (!find) return;
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "Escape") {
      const menu = event.target.closest("details.menu[open]");
      menu?.removeAttribute("open");
      menu?.querySelector("summary").focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") walk(event);
    else if (event.key === "Enter" && event.target.matches("[data-find]")) openFirst(event);
  });

  function hits() {
    return [...document.querySelectorAll("[data-hits] :is(a[href], button:not(:disabled))")];
  }

  function walk(event) {
    const list = hits();
    const at = list.indexOf(document.activeElement);
    const find = document.querySelector("[data-find]");
    if (at < 0 && !event.target.matches("[data-find]")) return;
    const next = event.key === "ArrowDown" ? list[at + 1] : at > 0 ? list[at - 1] : at === 0 ? find : null;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  function openFirst(event) {
    const first = hits()[0];
    if (!first || event.target.closest("form")?.matches(".htmx-request")) return;
    event.preventDefault();
    first.click();
  }

  // --- arriving -----------------------------------------------------------------------------------------------------

  const focusArrival = (root) => root.querySelector("[data-focus]")?.focus();
  document.addEventListener("htmx:afterSettle", (event) => {
    focusArrival(event.detail.elt);
    event.detail.elt.querySelector("[data-seen]")?.scrollIntoView({ block: "nearest" });
  });
  focusArrival(document);
})();
