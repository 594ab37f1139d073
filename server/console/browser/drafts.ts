/**
 * Keeps typed text, so that none is lost: in this browser at each keystroke, and on the server some seconds later. Each opened
 * page (a writer) keeps its own text of a form, so that two tabs do not replace each other's text. Only the server's word that a form was done
 * ends a draft. (rules O17 and O18)
 */
export const drafts = `
// A page that answers a form gets its own address.
const own = document.documentElement.dataset.address;
if (own && new URL(own, location.href).pathname !== location.pathname) history.replaceState(null, "", own);

// A form that was kept during a sign-in is sent without a click.
document.querySelector("form[data-continues]")?.requestSubmit();

// A browser may refuse to store anything.
const store = (name, value) => { try { value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value); } catch {} };
const stored = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
const storedNames = () => { try { return Object.keys(localStorage); } catch { return []; } };
const inTab = {
  get: (name) => { try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; } },
  set: (name, value) => { try { value === null ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, JSON.stringify(value)); } catch {} },
};
const person = document.documentElement.dataset.person;
const month = 30 * 86_400_000;
const draftName = (of) => ["innkeep-draft", of.person, of.form, of.writer].join(" ");
const draftsHere = () => storedNames().filter((name) => name.startsWith("innkeep-draft ")).map((name) => {
  const [, person, form, writer] = name.split(" ");
  return { fields: {}, at: 0, ...stored(name), person, form, writer };
});
for (const draft of draftsHere()) if (!(draft.at > Date.now() - month)) store(draftName(draft), null);
// After a sign-out nothing of the person stays in this browser.
if (person) store("innkeep-left " + person, null);
const leaver = inTab.get("innkeep-leaving");
if (leaver && document.querySelector("[data-done=signed-out]")) {
  inTab.set("innkeep-leaving", null);
  store("innkeep-left " + leaver, "");
  for (const draft of draftsHere()) if (draft.person === leaver) store(draftName(draft), null);
}
const ownDrafts = () => draftsHere().filter((draft) => draft.person === person).sort((a, b) => b.at - a.at);

// The form that this tab sent last. The server's cookie says whether it was done, and with which fields.
const last = inTab.get("innkeep-sent");
if (person || last?.person === undefined) inTab.set("innkeep-sent", null);
const wordOf = (once) => {
  const start = "innkeep-done-" + once + "=";
  const found = document.cookie.split("; ").find((cookie) => cookie.startsWith(start));
  if (found) document.cookie = start + "; Path=/; Max-Age=0";
  return found && decodeURIComponent(found.slice(start.length));
};
const word = last && last.person === person ? wordOf(last.once) : undefined;
if (word !== undefined) {
  const names = word === "all" ? last.names : word.split(" ");
  const isDone = (name) => names.includes(name);
  const same = ownDrafts().filter(({ form }) => form === last.form);
  const sent = same.find(({ writer }) => writer === last.writer)?.fields ?? {};
  for (const draft of same) {
    for (const [name, { text }] of Object.entries(draft.fields)) {
      if (isDone(name) && (draft.writer === last.writer || sent[name]?.text === text)) delete draft.fields[name];
    }
    const left = Object.keys(draft.fields).length > 0;
    store(draftName(draft), left ? JSON.stringify(draft) : null);
  }
}

// The forms of this page, and what is typed in each.
const draftFields = (form) => [...form.elements].filter((field) => field.name && field.dataset.draft && !field.readOnly);
const pathOf = (form) => new URL(form.getAttribute("action") || "", location.href).pathname;
const newWriter = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(8, "0");
const typing = [...(person ? document.querySelectorAll("form[method=post]") : [])]
  .filter((form) => draftFields(form).length > 0)
  .map((form) => ({ element: form, person, form: pathOf(form), page: location.pathname, writer: newWriter(), fields: {}, extra: {}, unsaved: new Set(), replaces: new Set() }));
const fieldOf = (state, name) => draftFields(state.element).find((field) => field.name === name);
const wasOf = (state, name) => state.element.elements["was-" + name];
// A field whose value was sent and refused holds unsent text, though it has not changed on this page.
const isTyped = (state, field) =>
  state.unsaved.has(field.name) ? field.value !== "" : field.value !== field.defaultValue;
const keep = (state) => {
  const typed = draftFields(state.element).filter((field) => isTyped(state, field));
  const now = typed.map(({ name, value }) => [name, { text: value, was: wasOf(state, name)?.value ?? "" }]);
  // Text whose field is no longer in the form stays until it is discarded.
  state.fields = { ...state.extra, ...Object.fromEntries(now) };
  const draft = { at: Date.now(), page: state.page, fields: state.fields };
  store(draftName(state), Object.keys(state.fields).length > 0 ? JSON.stringify(draft) : null);
  saveSoon(state);
};

// Warns before unsent text is left. Sending one form does not send the others.
const dirty = new Set();
let leaving;
for (const form of document.querySelectorAll("form[data-guards]")) {
  form.addEventListener("input", () => dirty.add(form));
  // The answer to one button of a form holds what the button did not save.
  if ("unsaved" in form.dataset) dirty.add(form);
}
addEventListener("beforeunload", (event) => {
  const left = [...dirty].some((form) => form !== leaving);
  leaving = undefined;
  if (left) event.preventDefault();
});
for (const state of typing) state.element.addEventListener("input", ({ target }) => {
  // Other members see who answers in a thread.
  if ("answers" in target.dataset) state.answering = state.element.dataset.thread;
  keep(state);
});

// Another tab that takes over a text deletes it here. This tab still shows it, and keeps it.
addEventListener("storage", ({ key, newValue }) => {
  const state = typing.find((known) => draftName(known) === key);
  if (newValue === null && state && !storedNames().includes("innkeep-left " + person)) keep(state);
});

const tellAt = (element, text) => {
  const note = document.createElement("div");
  note.className = "notice attention";
  note.textContent = text;
  element.before(note);
  announce(text);
  note.scrollIntoView({ block: "nearest" });
};
// A browser without a network may still reach a server on its own machine.
const sendIfReached = async (form, submitter) => {
  const reached = await fetch(document.documentElement.dataset.drafts, { method: "HEAD", cache: "no-store" }).catch(() => undefined);
  if (!reached) return tellAt(form, "You are offline, so nothing was sent. What you typed stays in this browser. Send it again when you are online.");
  form.dataset.reached = "";
  form.requestSubmit(submitter);
  delete form.dataset.reached;
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  const state = typing.find(({ element }) => element === form);
  if (state) keep(state);
  if (person && !navigator.onLine && !("reached" in form.dataset)) {
    event.preventDefault();
    return sendIfReached(form, event.submitter);
  }
  leaving = form;
  if ("signsOut" in form.dataset && !("ready" in form.dataset)) {
    event.preventDefault();
    return signOut(form);
  }
  if (!state) return;
  stopSaving(state);
  for (const [name, value] of [["draft-form", state.form], ["draft-writer", state.writer], ["draft-person", person]]) {
    const hidden = form.elements[name] ?? form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
    hidden.value = value;
  }
  const names = draftFields(form).map(({ name }) => name);
  inTab.set("innkeep-sent", { person, names, page: state.page, form: state.form, writer: state.writer, thread: form.dataset.thread, once: form.elements.once?.value });
});
`;
