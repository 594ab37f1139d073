// Stores typed text, so that no text is lost. It is stored in this browser after each keystroke, and on the server some
// seconds later. Each opened page (a writer) stores separate text for a form, so that two tabs do not overwrite each
// other's text. A draft is deleted only when the server confirms that it has done the action of the form. (rules O17
// and O18)
import { draftFields, fieldOf, isTyped, showHintAt, typing, wasOf } from "./draft-forms.js";
import { saveSoon, signOut, stopSaving } from "./draft-server.js";
import { draftName, inTab, person, sentName, store, storedNames } from "./draft-store.js";

export const keep = (state) => {
  const typed = draftFields(state.element).filter((field) => isTyped(state, field));
  const now = typed.map(({ name, value }) => [name, { text: value, was: wasOf(state, name)?.value ?? "" }]);
  // If a field is no longer in the form, its text is stored until the person discards it.
  state.fields = { ...state.extra, ...Object.fromEntries(now) };
  const draft = { at: Date.now(), page: state.page, fields: state.fields };
  store(draftName(state), Object.keys(state.fields).length > 0 ? JSON.stringify(draft) : null);
  saveSoon(state);
};

// The forms with unsent text. While there are any, the browser warns before the person leaves the page. It also warns
// if the person sends one form while another form has unsent text.
export const dirty = new Set();
let leaving;
for (const form of document.querySelectorAll("form[data-guards]")) {
  // A control that only changes the view of the page is inside the form element, but does not belong to a form.
  form.addEventListener("input", ({ target }) => {
    if (/** @type {any} */ (target).form === form) dirty.add(form);
  });
  // After some buttons, the next page still contains the text of the form, because the button did not save it.
  if ("unsaved" in form.dataset) dirty.add(form);
}
addEventListener("beforeunload", (event) => {
  const left = [...dirty].some((form) => form !== leaving);
  leaving = undefined;
  if (left) event.preventDefault();
});
for (const state of typing)
  state.element.addEventListener("input", ({ target }) => {
    // With this, the page shows other members who is writing an answer in a thread.
    if ("answers" in target.dataset) state.answering = state.element.dataset.thread;
    keep(state);
  });

// Another tab has sent the text that this tab shows. It must not be sent twice.
const clearSent = (state, texts) => {
  const cleared = texts.flatMap(([name, text]) => {
    const field = fieldOf(state, name);
    return field?.value === text && text !== "" ? [field] : [];
  });
  for (const field of cleared) {
    field.defaultValue = field.value = field.matches("textarea") ? "" : field.value;
    state.unsaved.delete(field.name);
  }
  if (cleared.length === 0) return;
  if (draftFields(state.element).every((field) => !isTyped(state, field))) dirty.delete(state.element);
  keep(state);
  showHintAt(state.element, "You sent this text in another tab, so it is no longer here.");
};

// When a person restores a text in another tab, that tab deletes the text here. This tab still shows the text, so it
// stores the text again.
addEventListener("storage", ({ key, newValue }) => {
  const sentHere = newValue && typing.find(({ form }) => sentName(form) === key);
  if (sentHere) return clearSent(sentHere, JSON.parse(newValue));
  const state = typing.find((known) => draftName(known) === key);
  if (newValue === null && state && !storedNames().includes(`innkeep-left ${person}`)) keep(state);
});

// Without a network, a browser may still be able to call a server on the same machine.
const sendIfReached = async (form, submitter) => {
  const reached = await fetch(document.documentElement.dataset.drafts, {
    method: "HEAD",
    cache: "no-store",
  }).catch(() => undefined);
  if (!reached)
    return showHintAt(
      form,
      "You are offline, so nothing was sent. Your text is stored in this browser. Send it again when you are online.",
    );
  form.dataset.reached = "";
  form.requestSubmit(submitter);
  delete form.dataset.reached;
};
document.addEventListener("submit", (event) => {
  const form = /** @type {any} */ (event.target);
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
  for (const [name, value] of [
    ["draft-form", state.form],
    ["draft-writer", state.writer],
    ["draft-person", person],
  ]) {
    const hidden =
      form.elements[name] ??
      form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
    hidden.value = value;
  }
  const names = draftFields(form).map(({ name }) => name);
  inTab.set("innkeep-sent", {
    person,
    names,
    page: state.page,
    form: state.form,
    writer: state.writer,
    thread: form.dataset.thread,
    once: form.elements.once?.value,
  });
});
