// The script of the triage desk, the inbox with a list and a thread. All actions work without this script.
// (rules F47 and F48)
import { addKeys } from "./keys.js";
import { isCovered, showMenu } from "./menus.js";
import { announce, forgetUndo } from "./page.js";

const desk = document.querySelector(".triage");
const form = /** @type {any} */ (document.getElementById("list-form"));

// The page of decisions and the search page also have lists, but these lists have no checkboxes.
const rows = () =>
  /** @type {any[]} */ ([
    ...document.querySelectorAll(desk ? "#threads a.to" : "main .list.linked:not(dialog *) a.to"),
  ]);
const idOf = (row) => row.id.replace("thread-", "");
const rowOf = (id) => /** @type {any} */ (document.getElementById(`thread-${id}`));
const tickOf = (id) => /** @type {any} */ (document.getElementById(`tick-${id}`));
const ticks = () => /** @type {any[]} */ ([...document.querySelectorAll("#threads .tick input")]);
const openedId = () => desk?.dataset.opened;

// Returns the link of the row that has the focus.
const focusedRow = () => {
  const line = document.activeElement?.closest(desk ? "#threads li" : "main .list.linked li");
  return line ? /** @type {any} */ (line.querySelector("a.to")) : undefined;
};
const targetId = () => {
  const row = focusedRow();
  return row ? idOf(row) : openedId();
};

const isList = () => rows().some((row) => row.checkVisibility());
const focusRow = (row) => {
  row.focus({ preventScroll: true });
  row.closest("li").scrollIntoView({ block: "nearest" });
};
const move = (step) => {
  const all = rows();
  const now = focusedRow() ?? (desk ? rowOf(openedId()) : undefined);
  const at = now ? all.indexOf(now) + step : step > 0 ? 0 : all.length - 1;
  const row = all[Math.min(Math.max(at, 0), all.length - 1)];
  if (row) focusRow(row);
};

// The ids of the selected threads. They stay selected when a newer list replaces the shown list.
const chosen = new Set();
const tell = () => {
  const words = chosen.size === 1 ? "1 selected" : `${chosen.size} selected`;
  form.querySelector("[data-chosen]").textContent = words;
  announce(words);
};
// Ends the selection of all threads of the list. Only the shown threads stay selected.
const forgetAll = () => {
  for (const name of ["all", "total", "asOf"]) form.elements[name]?.remove();
};
const choose = (box, isChosen) => {
  box.checked = isChosen;
  if (isChosen) chosen.add(box.value);
  else chosen.delete(box.value);
};
let lastBox;
const onChange = (box, isRange) => {
  forgetAll();
  const all = ticks();
  const [from, to] = [all.indexOf(lastBox), all.indexOf(box)].sort((one, other) => one - other);
  const boxes = isRange && from >= 0 ? all.slice(from, to + 1) : [box];
  for (const one of boxes) choose(one, box.checked);
  lastBox = box;
  tell();
};

const within = (milliseconds, at) => Date.now() - at < milliseconds;
const kept = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
};
const keep = (name, value) => {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // If data cannot be stored, the next page begins at its top, and only the undo button undoes a change.
  }
};

// Stores the row that gets the focus on the next page, and the scroll position of the list.
const column = /** @type {any} */ (document.querySelector(".list-column"));
const keepPlace = (row) => keep("innkeep-desk", { row, scroll: column.scrollTop, at: Date.now() });

const rowAfter = (id) => {
  const all = rows();
  const at = all.findIndex((row) => idOf(row) === id);
  return at === -1 ? undefined : (all[at + 1] ?? all[at - 1]);
};

// Returns the row that gets the focus after an action. For the open thread, the field `next` names the row.
const rowAfterAct = (id) => (id === openedId() && rowOf(form.elements.next.value)) || rowAfter(id);

// Sends the form of the list for the selected threads, or else for the focused or open thread.
const act = (value) => {
  const button = form?.querySelector(`button[name=act][value="${value}"]:not(.unseen)`);
  if (!button) return;
  if (chosen.size === 0 && !form.elements.all) {
    const id = targetId();
    if (id === undefined) return announce("Select a thread first.");
    aim(id);
  }
  form.requestSubmit(button);
};
const aim = (id) => {
  const box = tickOf(id);
  if (box) choose(box, true);
  else form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "id", value: id }));
};

const menuOf = (shortcut) => /** @type {any} */ (form.querySelector(`[data-act-menu=${shortcut}]`));
const openMenu = (shortcut) => {
  if (chosen.size === 0 && !form.elements.all) {
    const id = targetId();
    if (id === undefined || !tickOf(id)) return announce("Select a thread first.");
    choose(tickOf(id), true);
    tell();
    const menu = menuOf(shortcut);
    // Deselects the thread that `openMenu` selected, if the person closes the menu without an action.
    const closed = () => {
      if (menu.open) return;
      menu.removeEventListener("toggle", closed);
      // The event `toggle` comes late. The person may already have opened another menu for the same thread.
      if (form.querySelector("[data-act-menu][open]")) return;
      // If the focus has moved to another action of the bar, the thread stays selected for this action.
      if (document.activeElement?.closest("#act-bar")) return;
      if (chosen.size !== 1 || !chosen.has(tickOf(id)?.value)) return;
      choose(tickOf(id), false);
      tell();
    };
    menu.addEventListener("toggle", closed);
  }
  showMenu(menuOf(shortcut));
};

const undoLast = () => {
  // After a change of a thread's field, only the toast shows an undo button.
  const buttons = /** @type {any[]} */ ([...document.querySelectorAll(".toast button, #acted button")]);
  const button = buttons.find((one) => one.checkVisibility());
  if (button) return button.click();
  // A page with another list shows no undo button, but the last change can still be undone.
  const last = lastUndo();
  const undo = /** @type {any} */ (document.querySelector("#acted [name=undo]"));
  if (!last || !undo) return announce("There is nothing to undo.");
  undo.value = last.undo;
  undo.form.requestSubmit();
};

// A change can be undone for ten minutes on all lists of the inbox, until the person changes anything else.
const undoMilliseconds = 600_000;
// Returns the last change, or undefined if it can no longer be undone.
const lastUndo = () => {
  const last = kept("innkeep-undo");
  return last?.undo && last.page === location.pathname && within(undoMilliseconds, last.at)
    ? last
    : undefined;
};

const isForm = () => form !== null && (rows().length > 0 || openedId() !== undefined);

addKeys("List", [
  { key: "j", words: "Next row", act: () => move(1), isHere: isList, repeats: true },
  { key: "k", words: "Previous row", act: () => move(-1), isHere: isList, repeats: true },
  { key: "o", words: "Open the row", act: () => focusedRow()?.click(), isHere: isList },
]);
if (desk) {
  addKeys("List", [
    {
      key: "x",
      words: "Select or deselect the thread",
      act: () => {
        const box = tickOf(targetId());
        if (box) box.click();
      },
      isHere: () => form !== null && isList(),
    },
    // The list of keys contains this key even if there is nothing to undo.
    { key: "z", words: "Undo the last action", act: undoLast, isHere: isForm },
  ]);
  addKeys("Selected threads, or the current thread", [
    { key: "e", words: "Resolve", act: () => act("resolve"), isHere: isForm },
    { key: "y", words: "Archive", act: () => act("archive"), isHere: isForm },
    { key: "m", words: "Assign to me", act: () => act("assign:me"), isHere: isForm },
    { key: "a", words: "Assign", act: () => openMenu("a"), isHere: () => isForm() && menuOf("a") !== null },
    { key: "l", words: "Tag", act: () => openMenu("l"), isHere: () => isForm() && menuOf("l") !== null },
    { key: "h", words: "Snooze", act: () => openMenu("h"), isHere: isForm },
  ]);

  const place = kept("innkeep-desk");
  if (place && within(10_000, place.at)) column.scrollTop = place.scroll;
  const row = (place && within(10_000, place.at) && rowOf(place.row)) || rowOf(openedId());
  sessionStorage.removeItem("innkeep-desk");
  const acted = document.getElementById("acted");
  const isElsewhere = ![document.body, acted, null].includes(/** @type {any} */ (document.activeElement));
  // After a refusal, the browser moves the focus to the notice or the wrong field a little later.
  const isRefused = document.querySelector(".pane-column :is([role=alert], textarea)[autofocus]") !== null;
  if (row && !isElsewhere && !isRefused && !location.hash && row.checkVisibility()) {
    focusRow(row);
    if (acted && !acted.hidden) setTimeout(() => announce(acted.querySelector("span").textContent), 300);
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#threads a.to, .pane-bar a");
    if (link) keepPlace(link.matches("#threads a") ? idOf(link) : undefined);
  });
}

// Shows the notice about a sent form as a toast. A problem also stays in the thread.
const done = desk && /** @type {any} */ (document.querySelector("main .notice[data-done]"));
if (done) {
  const isProblem = done.classList.contains("attention");
  // The text is added a moment later, because screen readers read only text that is added to an existing element.
  const line = Object.assign(document.createElement("p"), { className: "toast", role: "status" });
  const shown = isProblem ? done.cloneNode(true) : done;
  // The sentence and its links are in one element, so that they wrap like text.
  const sentence = document.createElement("span");
  line.append(sentence);
  document.body.append(line);
  setTimeout(() => sentence.append(...shown.childNodes), 100);
  setTimeout(() => line.remove(), 20_000);
  if (!isProblem) done.remove();
}

if (form) {
  for (const box of ticks()) if (box.checked) chosen.add(box.value);
  form.addEventListener("click", ({ target, shiftKey }) => {
    if (target.matches?.(".tick input")) onChange(target, shiftKey);
  });
  // A click with Shift on a box must not select text.
  form.addEventListener("mousedown", (event) => {
    if (event.shiftKey && event.target.closest(".tick")) event.preventDefault();
  });
  form.addEventListener("submit", () => {
    // In the inbox of all apps, the field `id` contains `appId.threadId`.
    const values = form.elements.all ? [] : [...new FormData(form).getAll("id")];
    const ids = values.map((value) => String(value).split(".").at(-1) ?? "");
    const next = ids.length === 1 ? rowAfterAct(ids[0]) : undefined;
    if (next) form.elements.next.value = idOf(next);
    keep("innkeep-acted", ids[0]);
    keepPlace(next && (openedId() === undefined || ids[0] !== openedId()) ? idOf(next) : openedId());
  });
  document.addEventListener("replaced", () => {
    for (const box of ticks()) box.checked = chosen.has(box.value) || Boolean(form.elements.all);
    const shown = new Set(ticks().map(({ value }) => value));
    for (const id of chosen) if (!shown.has(id)) chosen.delete(id);
  });
  // Escape deselects all threads, and closes the bar with the actions.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || chosen.size === 0) return;
    if (isCovered() || event.target.closest("input[type=search], textarea")) return;
    forgetAll();
    for (const box of ticks()) choose(box, false);
    tell();
  });
}

addEventListener("submit", ({ target, defaultPrevented }) => {
  const sent = /** @type {any} */ (target);
  if (!defaultPrevented && sent.getAttribute("method") === "post" && !sent.closest("#acted")) forgetUndo();
  if (!defaultPrevented && sent.closest(".pane-bar")) keep("innkeep-acted", openedId());
});
const acted = document.getElementById("acted");
if (acted) {
  // After an undo, the row of the first changed thread gets the focus.
  if (column) acted.addEventListener("submit", () => keepPlace(kept("innkeep-acted") ?? openedId()));
  const undo = /** @type {any} */ (acted.querySelector("[name=undo]"));
  const list = /** @type {any} */ (acted.querySelector("[name=list]"))?.value;
  const address = new URL(location.href);
  if (!acted.hidden)
    keep("innkeep-undo", {
      list,
      page: location.pathname,
      undo: undo?.value ?? "",
      words: acted.querySelector("span").textContent,
      at: Date.now(),
    });
  for (const name of ["did", "changed", "skipped", "waiting", "until", "undo", "replied"])
    address.searchParams.delete(name);
  if (address.href !== location.href) history.replaceState(history.state, "", address);
  const last = lastUndo();
  if (last && undo && last.list === list) {
    undo.value = last.undo;
    acted.querySelector("span").textContent = last.words;
    acted.hidden = false;
    setTimeout(() => acted.setAttribute("hidden", ""), undoMilliseconds - (Date.now() - last.at));
  }
}
