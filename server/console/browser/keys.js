// Shortcuts with single keys. An element gets a key from `data-key`; `addKeys` adds other keys, which have
// priority. (rule O32)
import { isJustLeft, isLeaving } from "./leaving.js";
import { isCovered, isModified, openMenu, typeInMenu } from "./menus.js";

/**
 * @typedef {object} Key
 * @property {string} key The value of `event.key`, such as `e`, `R` or `?`; `g i` for two keys, one after the other.
 * @property {string} words The effect of the key, for the list of keys.
 * @property {() => unknown} act
 * @property {() => boolean} [isHere] Whether the key has an effect on this page now. The default is yes.
 * @property {boolean} [repeats] Whether the key has its effect again while it is held down.
 */

/** @type {(Key & { group: string })[]} */
const table = [];

/**
 * Adds keys to the table.
 * @param {string} group The title of the keys.
 * @param {Key[]} keys
 */
export const addKeys = (group, keys) => {
  for (const key of keys) table.push({ group, ...key });
};

export const hasKeys = "keys" in document.documentElement.dataset;

const isUsable = (element) => !element.disabled && element.checkVisibility();
const isField = (element) => element.matches("input:not([type=checkbox], [type=radio]), textarea, select");
const words = (element) =>
  element.dataset.keyWords ?? element.getAttribute("aria-label") ?? element.textContent.trim();

// Keys of the page have priority over keys of the bar at the top.
const keyedElements = () =>
  /** @type {any[]} */ (
    ["main [data-key]", ".top [data-key]"]
      .flatMap((part) => [...document.querySelectorAll(part)])
      .filter(isUsable)
  );

const actOn = (element) => {
  if (isField(element)) return element.focus();
  element.focus({ preventScroll: true });
  element.click();
};

const lineOf = (key) => table.find((line) => line.key === key && (line.isHere?.() ?? true));
const elementOf = (key) => keyedElements().find(({ dataset }) => dataset.key === key);

// Whether a key is the first of a pair of keys, such as `g`.
const startsPair = (key) =>
  [...table.map((line) => line.key), ...keyedElements().map(({ dataset }) => dataset.key)].some((other) =>
    other.startsWith(`${key} `),
  );

const isTyping = ({ target }) => target.isContentEditable || isField(target);

const pairMilliseconds = 1_500;
let first = { key: "", at: 0 };

// Keys pressed while the next page opens are stored. The next page runs their actions.
const early = "innkeep-keys";
const earlyKeys = () => {
  try {
    const { at = 0, keys = [] } = JSON.parse(sessionStorage.getItem(early) ?? "{}");
    return isJustLeft(at) ? keys : [];
  } catch {
    return [];
  }
};
const keepEarly = (keys) => {
  try {
    if (keys.length === 0) sessionStorage.removeItem(early);
    else sessionStorage.setItem(early, JSON.stringify({ at: Date.now(), keys }));
  } catch {
    // If the browser cannot store data, the pressed keys are lost.
  }
};
const pressEarly = () => {
  const keys = earlyKeys();
  keepEarly([]);
  while (keys.length > 0 && !isLeaving()) {
    const menu = openMenu();
    const key = keys.shift();
    if (menu) typeInMenu(menu, key);
    else if (run(key) && isField(document.activeElement))
      return typeInto(document.activeElement, keys.join(""));
    if (isCovered()) return;
  }
  keepEarly(keys);
};
// Types `text` into a field. An earlier key has moved the focus to this field.
const typeInto = (field, text) => {
  if (text === "" || typeof field.selectionStart !== "number") return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

const press = (event) => {
  // Escape removes the focus from a text field, so that the next key is a shortcut.
  if (
    event.key === "Escape" &&
    !event.defaultPrevented &&
    !event.isComposing &&
    event.target.matches("main textarea")
  )
    return event.target.blur();
  if (event.defaultPrevented || event.isComposing || isModified(event) || isTyping(event) || isCovered())
    return;
  if (isLeaving() && event.key.length === 1) {
    event.preventDefault();
    return keepEarly([...earlyKeys(), event.key]);
  }
  if (openMenu()) return;
  const isPair = first.key !== "" && event.timeStamp - first.at < pairMilliseconds;
  const key = isPair ? `${first.key} ${event.key}` : event.key;
  if (event.key !== "Shift") first = { key: "", at: 0 };
  if (event.repeat && !lineOf(key)?.repeats) return;
  if (run(key)) event.preventDefault();
  else if (!isPair && startsPair(key)) first = { key, at: event.timeStamp };
};

/** Runs the action of a key. Returns whether the key has an action on this page. */
const run = (key) => {
  const line = lineOf(key);
  const element = line === undefined ? elementOf(key) : undefined;
  if (line) line.act();
  else if (element) actOn(element);
  return line !== undefined || element !== undefined;
};

/** Returns the keys that have an action on this page now, by group. */
const keysHere = () => {
  const lines = table.filter((line) => line.isHere?.() ?? true);
  const elements = keyedElements()
    .filter(({ dataset }) => !lines.some(({ key }) => key === dataset.key))
    .map((element) => ({
      group: element.dataset.keyGroup ?? "This page",
      key: element.dataset.key,
      words: words(element),
    }));
  const groups = new Map();
  const listed = new Set();
  for (const { group, key, words } of [...lines, ...elements]) {
    if (listed.has(key)) continue;
    listed.add(key);
    groups.set(group, (groups.get(group) ?? new Map()).set(key, words));
  }
  return groups;
};

const make = (name, text, ...children) => {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  element.append(...children);
  return element;
};

const keycaps = (key) => key.split(" ").flatMap((one, at) => [at === 0 ? "" : " ", make("kbd", one)]);

export const showKeys = () => {
  document.querySelector("dialog.keys")?.remove();
  const close = make("button", "Close");
  const title = make("h2", "Keys");
  title.id = "keys-title";
  const parts = [...keysHere()].map(([group, keys]) =>
    make(
      "section",
      "",
      make("h3", group),
      make(
        "dl",
        "",
        ...[...keys].map(([key, text]) => make("div", "", make("dt", "", ...keycaps(key)), make("dd", text))),
      ),
    ),
  );
  const account = make("p", "Single keys can be turned off under “Your account”.");
  account.className = "hint";
  const columns = make("div", "", ...parts);
  columns.className = "columns";
  const head = make("header", "", title, close);
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", "", head, columns, account));
  dialog.className = "keys";
  dialog.setAttribute("aria-labelledby", title.id);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
};

if (hasKeys) {
  addKeys("Everywhere", [{ key: "?", words: "Show these keys", act: showKeys }]);
  document.addEventListener("keydown", press);
  // `setTimeout` runs `pressEarly` after the other scripts have added their keys.
  setTimeout(pressEarly);
  /** @type {any} */
  for (const button of document.querySelectorAll("button[data-shows-keys]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      button.closest("details")?.removeAttribute("open");
      showKeys();
    });
  }
}
