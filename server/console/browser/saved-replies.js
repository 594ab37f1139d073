// Inserts a saved reply without loading the page. A `/` at the start of a line lists matching replies.
import { announce } from "./page.js";

const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
const done = (field) => {
  changed(field);
  field.focus();
  announce("The saved reply is in the field.");
};

const button = /** @type {any} */ (document.querySelector("button[data-inserts]"));
const field = button?.form.elements[button.dataset.inserts];
const choice = button?.form.elements.savedReply;

// Asks the server for the text of a saved reply for the chosen receiver. Returns undefined if the request
// failed.
const filled = async (id) => {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(button.form)));
  body.set(field.name, "");
  body.set(choice.name, id);
  const request = { method: "POST", body, headers: { Accept: "text/html" } };
  const answer = await fetch(button.formAction, request).catch(() => undefined);
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
  return new DOMParser().parseFromString(text, "text/html").getElementById(field.id)?.value;
};

// Saved replies that were inserted. When the receiver changes, the server fills in the placeholders of unedited
// replies again.
const inserted = [];
let choices = 0;
const fillAgain = async () => {
  choices += 1;
  const current = choices;
  let isChanged = false;
  for (const one of inserted) {
    if (one.text === "" || !field.value.includes(one.text)) continue;
    const text = await filled(one.id);
    // Meanwhile the person may have chosen another receiver.
    if (current !== choices) return;
    const at = field.value.indexOf(one.text);
    if (text === undefined || text === one.text || at === -1) continue;
    field.setRangeText(text, at, at + one.text.length, "preserve");
    one.text = text;
    isChanged = true;
  }
  if (!isChanged) return;
  changed(field);
  announce("The saved reply is filled in for this receiver.");
};
button?.form.addEventListener("change", ({ target }) => {
  if (target.name === "replyReceiver") fillAgain();
});

button?.addEventListener("click", async (event) => {
  if (!button.hasAttribute("data-inserts")) return;
  event.preventDefault();
  const id = choice.value;
  const text = await filled(id);
  if (text === undefined) {
    button.removeAttribute("data-inserts");
    return button.click();
  }
  const typed = field.value.trimEnd();
  field.value = typed === "" ? text : `${typed}\n\n${text}`;
  inserted.push({ id, text });
  done(field);
});

// If the line begins with `/`, returns the words between the `/` and the cursor, and their position.
const asked = () => {
  const end = field.selectionStart;
  if (end !== field.selectionEnd) return undefined;
  const before = field.value.slice(0, end);
  const start = before.lastIndexOf("\n") + 1;
  const line = before.slice(start);
  const isLast = /^(?:\n|$)/.test(field.value.slice(end));
  return line.startsWith("/") && line.length < 60 && isLast
    ? { start, end, words: line.slice(1) }
    : undefined;
};
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const matching = (words) =>
  [...choice.options].filter(({ text }) =>
    plain(words)
      .split(/\s+/)
      .every((word) => plain(text).includes(word)),
  );

const list = document.createElement("ul");
const isOpen = () => !list.hidden;
const rows = () => [...list.children];
const chosen = () => rows().find((row) => row.getAttribute("aria-selected") === "true");
const choose = (row) => {
  for (const one of rows()) one.setAttribute("aria-selected", String(one === row));
  row.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", row.id);
};
const close = () => {
  list.hidden = true;
  field.removeAttribute("aria-activedescendant");
};
// The position of the line for which the person has closed the list.
let closedAt;
const show = () => {
  const words = asked();
  if (!words) closedAt = undefined;
  const found = words && words.start !== closedAt ? matching(words.words) : [];
  if (found.length === 0) return close();
  const mostShown = 8;
  list.replaceChildren(
    ...found.slice(0, mostShown).map(({ value, text }, at) => {
      const row = document.createElement("li");
      row.id = `saved-reply-${at}`;
      row.role = "option";
      row.dataset.reply = value;
      row.textContent = text;
      return row;
    }),
  );
  if (list.hidden) announce(`${found.length} saved replies. Use the arrow keys, then Enter.`);
  list.hidden = false;
  choose(rows()[0]);
};
const insert = async (row) => {
  const words = asked();
  if (!words) return;
  close();
  choice.value = row.dataset.reply;
  const text = await filled(choice.value);
  // If the text did not arrive, the button sends the form. The next page has the reply or the error.
  if (text === undefined) return button.click();
  inserted.push({ id: row.dataset.reply, text });
  field.setRangeText(text, words.start, words.end, "end");
  done(field);
};

if (field && choice) {
  list.id = "saved-replies";
  list.className = "offers";
  list.role = "listbox";
  list.hidden = true;
  list.setAttribute("aria-label", "Saved replies");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-autocomplete", "list");
  field.placeholder += ". Type / for a saved reply";
  field.before(list);
  field.addEventListener("input", show);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (!isOpen() || event.isComposing) return;
    const all = rows();
    const at = all.indexOf(chosen());
    const acts = {
      ArrowDown: () => choose(all[(at + 1) % all.length]),
      ArrowUp: () => choose(all.at(at - 1)),
      Enter: () => insert(all[at]),
      Tab: () => insert(all[at]),
      Escape: () => {
        closedAt = asked()?.start;
        close();
      },
    };
    if (event.ctrlKey || event.metaKey || event.shiftKey || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    acts[event.key]();
  });
  // `preventDefault` keeps the focus in the field.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const row = event.target.closest("[data-reply]");
    if (row) insert(row);
  });
}
