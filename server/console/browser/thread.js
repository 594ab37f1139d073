// The page of a thread. A side field is saved when it changes. Without this script, buttons do the same.
// (rule F43)
import { beginSent, draftFields, endSent, keepRefused, keepRest, typingIn } from "./drafts.js";
import { addKeys } from "./keys.js";
import { announce, forgetUndo, replacePart, toast } from "./page.js";

const form = /** @type {any} */ (document.querySelector("form.thread"));
const parts = ["thread-head", "fields", "timeline", "finished"];

const labelOf = (field) => field.labels?.[0]?.textContent.trim() ?? field.name;
const shownValue = (field) => field.selectedOptions?.[0]?.textContent.trim() ?? field.value.trim();
const state = typingIn(form);

// Saves run one after another, because each save needs the idempotency key and the versions from the previous
// save.
let last = Promise.resolve();
let saving = 0;
let isReplacing = false;
const saveNow = async (name, value, before) => {
  const [part, field] = [document.getElementById("fields"), form.elements[name]];
  // An earlier save may have replaced the field with a new one that contains the stored value.
  field.value = value;
  const words = `${labelOf(field)}: ${shownValue(field) || "none"}.`;
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  // A text in another field of the side column is saved when the person leaves that field.
  for (const other of draftFields(form)) if (part.contains(other) && other !== field) body.delete(other.name);
  const sent = "draft" in field.dataset ? { [name]: value } : {};
  beginSent(state, body, Object.keys(sent));
  const request = { method: "POST", headers: { Accept: "text/html" }, body };
  const answer = await fetch(part.dataset.saves, request).catch(() => undefined);
  const fresh = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  // The session has ended or the server is unreachable.
  if (!fresh?.getElementById("fields")) return sendWithoutScript();
  if (answer.ok) endSent(state, sent);
  else keepRefused(state, sent);
  replaceParts(fresh);
  form.elements.once.value = fresh.querySelector("form.thread [name=once]").value;
  keepRest(state);
  prepare();
  if (!answer.ok) return announce(document.querySelector("#fields [role=alert]")?.textContent ?? "");
  forgetUndo();
  const undo = () => save({ name, value: before }, undefined);
  if (before === undefined || name === "addTags") toast(words);
  else toast(words, "Undo", undo);
};
const replaceParts = (fresh) => {
  isReplacing = true;
  try {
    for (const id of parts) {
      const [old, next] = [document.getElementById(id), fresh.getElementById(id)];
      if (old && next) replacePart(old, next);
    }
  } finally {
    isReplacing = false;
  }
};
// Sends the whole form as on a page without scripts. The typed text is kept.
const sendWithoutScript = () =>
  form.requestSubmit(document.querySelector("#fields [data-without-script] button"));
const save = ({ name, value }, before) => {
  saving += 1;
  last = last
    .then(() => saveNow(name, value, before))
    // Reading the answer failed. Later saves and the form wait for this promise, so it must not reject.
    .catch(sendWithoutScript)
    .finally(() => {
      saving -= 1;
    });
};

// The saved values of the fields in the side column, by field name.
const stored = new Map();
const sideFields = () =>
  /** @type {any[]} */ ([...document.querySelectorAll("#fields :is(select, input:not([type=hidden]))")]);
const storedIn = (field) =>
  field.options
    ? ([...field.options].find(({ defaultSelected }) => defaultSelected)?.value ?? field.value)
    : field.defaultValue;
// Hides the parts for pages without scripts. Shows the save button if a field has unsaved text.
const prepare = () => {
  for (const field of sideFields()) stored.set(field.name, storedIn(field));
  /** @type {any} */ for (const part of form.querySelectorAll("[data-without-script]")) part.hidden = true;
  showSave();
};
const isChanged = ({ name, value }) => stored.has(name) && stored.get(name) !== value;
// A refused form shows typed values as if they were stored. In this case, the save button is always shown.
const isUnsaved = () =>
  document.querySelector("#fields :is(.fault, .notice)") !== null ||
  sideFields().some((field) => field.matches("input") && isChanged(field));
const showSave = () =>
  document.querySelector("#fields [data-without-script]")?.toggleAttribute("hidden", !isUnsaved());

const showTab = (value) => {
  const tab = /** @type {any} */ (document.querySelector(`.composer [name=composer][value=${value}]`));
  if (tab && !tab.checked) tab.checked = true;
};

if (form) {
  prepare();
  form.addEventListener("change", ({ target }) => {
    if (target.matches("#fields select") && isChanged(target)) save(target, stored.get(target.name));
  });
  // A text is saved when the person leaves the field. A clicked submit button sends the text itself.
  form.addEventListener("focusout", ({ target, relatedTarget }) => {
    // The browser also fires this event when the field is replaced while the person types in it.
    if (isReplacing) return;
    if (!target.matches("#fields input") || !isChanged(target) || state.restored.has(target.name)) return;
    if (!relatedTarget?.matches("button[type=submit]")) save(target, stored.get(target.name));
  });
  form.addEventListener("input", ({ target }) => {
    if (target.matches("#fields input")) showSave();
  });
  form.addEventListener("restored", showSave);
  // Somebody else has changed the thread. The fields of the side column now have other stored values.
  document.addEventListener("replaced", ({ target }) => {
    if (/** @type {any} */ (target).id === "fields") prepare();
  });
  // While a field is being saved, the form waits, because it needs the new Idempotency-Key and versions.
  form.addEventListener("submit", (event) => {
    if (saving === 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    last.then(() => form.requestSubmit(event.submitter));
  });
  // Enter in a field of the side column saves only that field. Otherwise the browser would send the whole form.
  form.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key === "Enter" && target.matches("#fields input")) {
      event.preventDefault();
      state.restored.delete(target.name);
      target.blur();
      return;
    }
    if (key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // Ctrl+Enter also works in the notice that has the focus after a refusal.
    const pane = target.closest(".composer .pane");
    if (!pane || target.closest("button, select, a, input")) return;
    event.preventDefault();
    const resolves = event.shiftKey && pane.querySelector("button[value=resolve]");
    form.requestSubmit(resolves || pane.querySelector("button[name=direction]"));
  });
  // If a draft is restored in a field that is hidden, the field becomes visible.
  form.addEventListener("input", ({ target }) => {
    const pane = target.closest(".composer .pane");
    if (pane && pane.offsetParent === null) showTab(pane.classList.contains("note") ? "note" : "reply");
  });
}

const receiver = () => document.getElementById("reply-receiver");
const write = (value) => {
  showTab(value);
  /** @type {any} */ (document.querySelector(`.composer .pane.${value} textarea`)).focus();
  // A person must see who gets the reply.
  if (value === "reply") receiver()?.scrollIntoView({ block: "nearest" });
};
const canWrite = () => document.querySelector(".composer") !== null;
addKeys("Thread", [
  { key: "r", words: "Write a reply", act: () => write("reply"), isHere: canWrite },
  { key: "n", words: "Write a note", act: () => write("note"), isHere: canWrite },
  // The form reacts to these two keys itself. They are here only for the list of keys.
  { key: "Ctrl Enter", words: "Send", act: () => undefined, isHere: canWrite },
  { key: "Ctrl Shift Enter", words: "Send and resolve", act: () => undefined, isHere: canWrite },
]);

// On a page with `.triage`, desk.js adds keys such as `e`. `canFocus` is false while that page shows the
// list.
const hasFields = () => document.getElementById("fields") !== null;
const canChange = () => !document.querySelector(".triage") && hasFields();
const canFocus = () => !document.querySelector(".triage .list-column")?.checkVisibility() && hasFields();
const choose = (name, value) => {
  const field = form.elements[name];
  field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
// A toast is always newer than the notice about the sent form, so the button of the toast comes first.
const undoButton = () =>
  /** @type {any} */ (
    document.querySelector(".toast button") ?? document.querySelector(".notice[data-done] button")
  );
addKeys("Thread", [
  { key: "e", words: "Resolve", act: () => choose("status", "resolved"), isHere: canChange },
  { key: "y", words: "Archive", act: () => choose("status", "archived"), isHere: canChange },
  {
    key: "m",
    words: "Assign to me",
    act: () => form.querySelector("#fields [formaction$='/assign']")?.click(),
    isHere: canChange,
  },
  { key: "a", words: "Assign", act: () => form.elements.assignee.focus(), isHere: canFocus },
  { key: "l", words: "Tag", act: () => form.elements.addTags.focus(), isHere: canFocus },
  { key: "h", words: "Snooze", act: () => form.elements.snoozeFor?.focus(), isHere: canFocus },
  {
    key: "z",
    words: "Undo the last action",
    act: () => (undoButton() ? undoButton().click() : announce("There is nothing to undo.")),
    isHere: canChange,
  },
]);

// Scrolls to the first new message if it is below the window. A reloaded page keeps its scroll position.
const firstNew = document.getElementById("new");
const [visit] = /** @type {any[]} */ (performance.getEntriesByType("navigation"));
const isAtPlace = location.hash !== "" || document.querySelector("main [autofocus]:not(#acted)") !== null;
if (
  firstNew &&
  visit?.type === "navigate" &&
  !isAtPlace &&
  firstNew.getBoundingClientRect().top > innerHeight
)
  firstNew.scrollIntoView();

// A typed reply keeps its receiver, even if another sender writes in the meantime. (rule M10)
const isReplying = () =>
  form.elements.replyBody.value.trim() !== "" || receiver()?.hasAttribute("data-stale");
const keepReceiver = ({ target }) => {
  const isChosen = target.name === "replyReceiver";
  if (isChosen || target.name === "replyBody")
    receiver()?.toggleAttribute("data-stale", isChosen || target.value.trim() !== "");
};
form?.addEventListener("input", keepReceiver);
form?.addEventListener("focusin", keepReceiver);
form?.addEventListener("restored", () => keepReceiver({ target: form.elements.replyBody ?? {} }));
// The page can already contain the text of a refused reply or of a draft.
if (form?.elements.replyBody?.value.trim()) receiver()?.setAttribute("data-stale", "");

// A line above the reply shows who wrote a new message. A click on its link hides the line. (rule F35)
let unseen;
const markSeen = () => {
  form.elements.seenMessage.value = unseen;
  unseen = undefined;
  document.getElementById("newer").hidden = true;
};
// Whether the window shows a message, or the beginning of a long message. A dialog may cover the message.
const isShown = (message) => {
  if (!message || document.hidden) return false;
  const { top, bottom, left, width } = message.getBoundingClientRect();
  const needed = Math.min(bottom - top, innerHeight / 4) - 1;
  const isFree = (y) => message.contains(document.elementFromPoint(left + width / 2, y));
  return needed > 0 && isFree(top + 1) && isFree(top + needed);
};
const look = () => {
  if (unseen === undefined || isReplying()) return;
  if (isShown(document.getElementById(`message-${unseen}`))) markSeen();
};
document.addEventListener("replaced", ({ target }) => {
  const timeline = /** @type {any} */ (target);
  const seen = form?.elements.seenMessage;
  if (timeline.id !== "timeline" || !seen || seen.value === timeline.dataset.newest) return;
  unseen = timeline.dataset.newest;
  const newer = document.getElementById("newer");
  newer.querySelector("span").textContent = timeline.dataset.news ?? "";
  newer.hidden = false;
  const link = /** @type {any} */ (newer.querySelector("a"));
  link.href = `#message-${unseen}`;
  link.onclick = markSeen;
  look();
});
// The list and the thread of the inbox scroll separately. Their events do not bubble, so the listener captures
// them.
document.addEventListener("scroll", look, { capture: true, passive: true });
document.addEventListener("visibilitychange", look);
addEventListener("resize", look);
// When the focus enters the form, a dialog or menu that covered the message may have been closed.
form?.addEventListener("focusin", look);

// The keys that decide on a proposal. Approve and Reject ask for a confirmation. (rules A55 and O32)
const bar = () => /** @type {any} */ (document.querySelector(".decision-bar"));
const isHere = () => bar() !== null;

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// Somebody else has decided. A note that the person has typed stays visible, so that the person can copy it.
document.addEventListener("replaced", ({ target }) => {
  const ended = /** @type {any} */ (target);
  if (!ended.dataset.decides || !ended.hidden) return;
  const proposal = ended.closest(".proposal");
  proposal.classList.remove("awaiting");
  /** @type {any} */ (document.querySelector("dialog.question"))?.close();
  const note = proposal.querySelector(".decide textarea");
  const part = note?.closest(".decide");
  if (!part) return;
  part.hidden = note.value.trim() === "";
  note.labels[0].textContent = "Your note to the agent, not sent";
  part.querySelector(".hint").textContent =
    "Nobody has read it. Copy it, or add it to the thread as an internal note.";
  for (const words of part.querySelectorAll(":scope > :is(p, .notice)")) words.remove();
});

const ask = (decision, question) => {
  const button = bar().querySelector(`button[value=${decision}]`);
  const title = make("h2", { id: "decide-title", textContent: question });
  const subject = make("p", { textContent: document.querySelector("h1")?.textContent.trim() ?? "" });
  const yes = make("button", {
    type: "button",
    className: button.className,
    textContent: button.textContent,
  });
  const no = make("button", { type: "button", textContent: "Cancel" });
  const dialog = make(
    "dialog",
    { className: "question" },
    title,
    subject,
    make("div", { className: "actions" }, yes, no),
  );
  dialog.setAttribute("aria-labelledby", title.id);
  yes.addEventListener("click", () => {
    dialog.close();
    button.click();
  });
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  yes.focus();
};

const writeNote = () => {
  const note = /** @type {any} */ (document.querySelector(".proposal .decide textarea"));
  // While the person writes this note, Ctrl+Enter clicks the button that requests the changes.
  note.onkeydown = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    bar()?.querySelector("button[value=request_changes]").click();
  };
  note.scrollIntoView({ block: "center" });
  note.focus({ preventScroll: true });
};

addKeys("Proposal", [
  {
    key: "A",
    words: "Approve the plan, after a confirmation",
    act: () => ask("approve", "Approve this plan?"),
    isHere,
  },
  { key: "C", words: "Write what the agent must change", act: writeNote, isHere },
  {
    key: "R",
    words: "Reject, after a confirmation",
    act: () => ask("reject", "Reject this plan? A rejection is final."),
    isHere,
  },
]);
