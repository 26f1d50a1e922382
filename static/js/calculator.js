// The big keys of the calculators: thumbs instead of a phone's keyboard. Every calculator works without this file.
//
//   form[data-calculator]      the form; [data-dock] its bar at the bottom of a phone, hidden until this file runs
//   [data-amount]              a field the keys write into; data-plus: it takes several amounts with + between
//   [data-rows="seats|lines"]  rows of which only those in use are shown: one for each seat, or one after the other
//   [data-sum]                 in a row: what its amounts make together
//   [data-key] [data-chip] [data-undo] [data-next] [data-seat-key] [data-mark]   the keys
(() => {
  "use strict";

  const form = document.querySelector("form[data-calculator]");
  if (!form) return;

  const MOST_UNDOS = 200;
  const amounts = [...form.querySelectorAll("[data-amount]")];
  const rows = [...form.querySelectorAll("[data-row]")];
  const kind = form.querySelector("[data-rows]")?.dataset.rows;
  const dock = form.querySelector("[data-dock]");
  const thumbs = window.matchMedia("(max-width: 899px), (pointer: coarse)");
  const undos = [];
  let current = null;

  // --- amounts as people read them ----------------------------------------------------------------------------------

  const digits = (text) => text.replace(/[^0-9+]/g, "");

  function grouped(text) {
    const parts = digits(text).split("+");
    return parts.map((part) => part.replace(/^0+(?=\d)/, "").replace(/\B(?=(\d{3})+(?!\d))/g, ",")).join(" + ");
  }

  function write(field, text) {
    field.value = grouped(text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // --- the field that the keys write into ---------------------------------------------------------------------------

  const rowOf = (element) => element?.closest("[data-row]");
  const stateOf = (row) => row?.querySelector("select[name^=state_]");
  const isUsed = (row) => [...row.querySelectorAll("input, select")].some((field) =>
    field.type === "hidden" ? false : field.matches("[type=checkbox], [type=radio]") ? field.checked : field.value !== "");

  function total(text) {
    const parts = digits(text).split("+").filter(Boolean);
    if (parts.length < 2) return "";
    return `= ${grouped(String(parts.reduce((sum, part) => sum + Number(part), 0)))}`;
  }

  function showTotals() {
    for (const field of amounts) {
      field.classList.toggle("long", field.value.length > 8);
      const sum = rowOf(field)?.querySelector("[data-sum]");
      if (sum) sum.textContent = total(field.value);
    }
  }

  function showRows() {
    if (!thumbs.matches) {
      for (const row of rows) row.hidden = false;
      return;
    }
    let isNext = true; // of lines the first one that is empty waits for the next amount
    for (const row of rows) {
      const used = isUsed(row);
      row.hidden = !used && row !== rowOf(current) && !(kind === "lines" && isNext);
      if (!used) isNext = false;
    }
  }

  function select(field, { focus = true } = {}) {
    if (!field) return;
    current?.classList.remove("on");
    rowOf(current)?.classList.remove("on");
    current = field;
    current.classList.add("on");
    rowOf(current)?.classList.add("on");
    current.closest("details")?.setAttribute("open", "");
    dock.classList.remove("idle");
    showRows();
    if (focus) {
      current.focus({ preventScroll: true });
      (rowOf(current) || current).scrollIntoView({ block: "nearest" });
    }
    for (const key of form.querySelectorAll("[data-key='+']")) key.disabled = !("plus" in current.dataset);
    markKeys();
  }

  const after = (field) => amounts[(amounts.indexOf(field) + 1) % amounts.length];

  function markKeys() {
    const row = rowOf(current);
    const state = stateOf(row)?.value;
    for (const key of form.querySelectorAll("[data-mark]")) key.setAttribute("aria-pressed", key.dataset.mark === state);
    const seat = kind === "seats" ? row?.dataset.row : row?.querySelector("select[name^=seat_]")?.value;
    for (const key of form.querySelectorAll("[data-seat-key]")) {
      key.setAttribute("aria-pressed", key.dataset.seatKey === seat);
    }
  }

  // --- the keys -----------------------------------------------------------------------------------------------------

  function remember() {
    const select_ = rowOf(current)?.querySelector("select");
    undos.push({ field: current, value: current.value, choice: select_, chosen: select_?.value });
    if (undos.length > MOST_UNDOS) undos.shift();
  }

  function takeBack() {
    const last = undos.pop();
    if (!last) return;
    if (last.choice) last.choice.value = last.chosen;
    select(last.field);
    write(last.field, last.value);
  }

  const keys = {
    key(button) {
      remember();
      write(current, current.value + button.dataset.key);
    },
    chip(button) {
      const stack = amounts.find((field) => "plus" in field.dataset);
      select(stack);
      remember();
      write(stack, stack.value ? `${stack.value}+${button.dataset.chip}` : button.dataset.chip);
    },
    undo: takeBack,
    next() {
      remember();
      select(after(current));
    },
    seatKey(button) {
      remember();
      if (kind === "seats") {
        select(form.querySelector(`[data-row="${button.dataset.seatKey}"] [data-amount]`));
        return;
      }
      if (!rowOf(current)) select(rows.find((row) => !isUsed(row))?.querySelector("[data-amount]"));
      choose(rowOf(current)?.querySelector("select"), button.dataset.seatKey);
    },
    mark(button) {
      remember();
      const state = stateOf(rowOf(current));
      if (state) choose(state, state.value === button.dataset.mark ? "" : button.dataset.mark);
    },
  };

  function choose(field, value) {
    if (!field) return;
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // the field keeps the cursor while a key is pressed
  dock.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  });
  dock.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const name = button && Object.keys(keys).find((key) => key in button.dataset);
    if (name && (current || name === "chip")) keys[name](button);
  });

  // --- the form -----------------------------------------------------------------------------------------------------

  form.addEventListener("focusin", (event) => {
    const field = event.target.matches("[data-amount]") ? event.target : rowOf(event.target)?.querySelector("[data-amount]");
    if (field && field !== current && !event.target.matches("[type=checkbox]")) select(field, { focus: false });
  });
  form.addEventListener("input", showTotals);
  form.addEventListener("change", (event) => {
    if (event.target.matches("[data-amount]")) event.target.value = grouped(event.target.value);
    showTotals();
    showRows();
    markKeys();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-amount]")) return;
    event.preventDefault();
    select(after(event.target));
  });

  function suit() {
    for (const field of amounts) field.setAttribute("inputmode", thumbs.matches ? "none" : "numeric");
    showTotals();
    showRows();
  }

  document.querySelector(".links [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  dock.hidden = false;
  for (const button of form.querySelectorAll("[data-without-script]")) button.hidden = true;
  thumbs.addEventListener("change", suit);
  const first = amounts.find((field) => field.name === "chips") || amounts.find((field) => field.value === "" && rowOf(field));
  dock.classList.add("idle"); // pots that came filled in leave only their winners to tap: no keys before one is wanted
  if (first || !rows.length) select(first || amounts[0], { focus: false });
  suit();
})();
