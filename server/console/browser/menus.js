// In a menu (`details.menu`), letters and arrow keys move to an item. Escape closes the menu. (rule O32)
import { isLeaving } from "./leaving.js";

const menus = () => /** @type {any[]} */ ([...document.querySelectorAll("details.menu[open]")]);

/** Returns the open menu that the person sees. */
export const openMenu = () => menus().find((menu) => menu.querySelector(".panel")?.checkVisibility());

/** Whether a dialog or a popover covers the page. A covered page must not react to keys. */
export const isCovered = () => document.querySelector("dialog[open], [popover]:popover-open") !== null;

// On Windows, AltGr sets Ctrl and Alt. A character typed with AltGr, such as `[`, counts as not modified.
export const isModified = (event) =>
  (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");

// The elements that had the focus before a key opened a menu.
const openers = new WeakMap();

/** Opens a menu for a key, and moves the focus to its first item or field. */
export const showMenu = (menu) => {
  openers.set(menu, document.activeElement);
  menu.open = true;
  stopsIn(menu, "a[href], button, input, select")[0]?.focus();
};

// Closes a menu. The focus returns to the element that had it before, or to the menu's button.
const hideMenu = (menu) => {
  const opener = openers.get(menu);
  menu.open = false;
  if (!opener) return menu.querySelector("summary").focus();
  // A script may have replaced the element that had the focus with an element of the same id.
  const place = opener.isConnected ? opener : document.getElementById(opener.id);
  if (place && place !== document.body) return place.focus({ preventScroll: true });
  const focused = /** @type {any} */ (document.activeElement);
  focused?.blur();
};

const stopsIn = (menu, selectors) =>
  /** @type {any[]} */ ([...menu.querySelectorAll(`.panel :is(${selectors})`)]).filter(
    (stop) => !stop.disabled && stop.checkVisibility(),
  );
const itemsOf = (menu) => stopsIn(menu, "a[href], button");

const move = (menu, key) => {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement);
  const isFirst = key === "Home" || (key === "ArrowDown" && at === -1);
  if (isFirst)
    return stopsIn(menu, key === "Home" ? "a[href], button" : "a[href], button, input, select")[0]?.focus();
  if (key === "End" || (key === "ArrowUp" && at === -1)) return items.at(-1)?.focus();
  items.at((at + (key === "ArrowDown" ? 1 : -1)) % items.length)?.focus();
};

// Letters that follow each other within this time form one word.
const wordMilliseconds = 1_000;
const nothing = { menu: undefined, word: "", at: Number.NEGATIVE_INFINITY };
let typed = nothing;
const letters = new Intl.Collator(document.documentElement.lang, { usage: "search", sensitivity: "base" });
const nameOf = (item) =>
  (item.getAttribute("aria-label") ?? item.textContent).normalize().replace(/\s+/g, " ").trim();
const beginsWith = (word) => (item) =>
  letters.compare([...nameOf(item)].slice(0, [...word].length).join(""), word) === 0;

/** Moves the focus to the item that begins with the typed letters. Returns whether `letter` was used. */
export const typeInMenu = (menu, letter) => {
  const now = performance.now();
  const isSame = typed.menu === menu && now - typed.at < wordMilliseconds;
  // The space bar clicks the focused item, unless the space continues the name of an item.
  const before = isSame ? typed.word : "";
  const word = before + letter;
  const items = itemsOf(menu);
  if (letter === " " && (before === "" || !items.some(beginsWith(word)))) return false;
  typed = { menu, word, at: now };
  const at = items.indexOf(document.activeElement);
  const from = (start) => [...items.slice(start), ...items.slice(0, start)];
  const isOneLetter = [...word].every((one) => one === letter);
  const found = before === "" ? undefined : from(Math.max(at, 0)).find(beginsWith(word));
  (found ?? (isOneLetter ? from(at + 1).find(beginsWith(letter)) : undefined))?.focus();
  return true;
};

const moves = ["ArrowDown", "ArrowUp", "Home", "End"];
document.addEventListener("keydown", (/** @type {any} */ event) => {
  const menu = openMenu();
  if (!menu || event.defaultPrevented || event.isComposing || isModified(event)) return;
  if (event.key === "Escape") {
    event.preventDefault();
    return hideMenu(menu);
  }
  if (event.target.closest("dialog, [popover]:popover-open") || isLeaving()) return;
  // Form fields use letters and the keys in `moves` themselves.
  if (event.target.matches("input, select, textarea")) return;
  const isMove = moves.includes(event.key);
  if (isMove) {
    typed = nothing;
    move(menu, event.key);
  }
  if (isMove || ([...event.key].length === 1 && typeInMenu(menu, event.key))) event.preventDefault();
});

const closeMenus = (except) => {
  for (const menu of menus()) if (menu !== except) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));

// If a key moves the focus out of a menu, the menu closes. A mouse closes menus only with clicks.
let isKey = false;
document.addEventListener(
  "keydown",
  () => {
    isKey = true;
  },
  true,
);
document.addEventListener(
  "pointerdown",
  () => {
    isKey = false;
  },
  true,
);
document.addEventListener("focusin", (event) => {
  if (isKey) closeMenus(event.target.closest("details.menu"));
});

// `toggle` events do not bubble, so the listener gets them in the capture phase.
document.addEventListener(
  "toggle",
  (/** @type {any} */ { target }) => {
    if (!target.open) openers.delete(target);
  },
  true,
);
