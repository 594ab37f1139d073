// Stores typed text in this browser and on the server. Each opened page is a writer with its own text.
// (rules O17 and O18)
import {
  draftName,
  inTab,
  last,
  ownDrafts,
  person,
  sentName,
  store,
  stored,
  storedNames,
  takeWord,
  tellSent,
  word,
} from "./draft-store.js";
import { announce } from "./page.js";

// Returns the fields of a form whose texts are stored as drafts.
export const draftFields = (form) =>
  [...form.elements].filter((field) => field.name && field.dataset.draft && !field.readOnly);
const pathOf = (form) => new URL(form.getAttribute("action") || "", location.href).pathname;
export const newWriter = () =>
  Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(8, "0");
/**
 * @typedef {{ text: string, was: string, choice?: string }} Typed
 */
/**
 * A form of this page, and the text that is typed in it.
 * @typedef {object} Typing
 * @property {HTMLFormElement} element
 * @property {string} person
 * @property {string} form The path of the form.
 * @property {string} page
 * @property {string} writer
 * @property {Record<string, Typed>} fields
 * @property {Record<string, Typed>} extra The texts of fields that are no longer in the form.
 * @property {Set<string>} unsaved The fields whose values were sent and refused.
 * @property {Set<string>} restored The fields with a restored text that the person has not changed.
 * @property {string[]} heldBack The fields that are left out when the form is sent.
 * @property {Set<string>} replaces The writers whose text this page took over, until the server confirms this.
 * @property {number} [timer]
 * @property {AbortController} [running]
 * @property {string} [said] The body of the last save that succeeded.
 * @property {string} [answering] The thread in which the person is writing an answer.
 */

/** @type {Typing[]} */
export const typing = [...(person ? document.querySelectorAll("form[method=post]") : [])]
  .filter((form) => draftFields(form).length > 0)
  .map((form) => ({
    element: form,
    person,
    form: pathOf(form),
    page: form.dataset.page ?? location.pathname,
    writer: newWriter(),
    fields: {},
    extra: {},
    unsaved: new Set(),
    restored: new Set(),
    heldBack: [],
    replaces: new Set(),
  }));
/** Returns the `Typing` of `form`. Undefined if no drafts are stored for this form. */
export const typingIn = (form) => typing.find(({ element }) => element === form);
// Browsers also restore text that was already sent. Drafts restore only unsent text, so the browser's function
// is turned off.
for (const { element } of typing) for (const field of draftFields(element)) field.autocomplete = "off";
export const fieldOf = (state, name) => draftFields(state.element).find((field) => field.name === name);
// Returns the hidden field with a field's version. All lines of a list, such as `items.0.text`, share one
// version.
export const wasOf = ({ element: { elements } }, name) =>
  elements[`was-${name}`] ?? elements[`was-${name.split(".")[0]}`];
// Returns the version that the person saw while typing. `data-typed` has this version if the stored value is
// newer.
const typedFor = (state, name) => {
  const was = wasOf(state, name);
  return was?.dataset.typed ?? was?.value ?? "";
};
// Returns the control whose choice belongs to a text, such as the receiver of a reply.
const choiceOf = ({ element }, field) => field.dataset.choice && element.elements[field.dataset.choice];
const unchosenIn = (control) =>
  control.options && [...control.options].find((one) => "unchosen" in one.dataset);
// Returns `choice` if `control` has this option. Otherwise returns the value of the option that asks for a
// choice.
const valueIn = (control, choice) => {
  const options = [...(control.options ?? [])];
  const has = options.length === 0 ? choice : options.find(({ value }) => value === choice)?.value;
  return has ?? unchosenIn(control)?.value ?? control.value;
};
const choose = (state, field, choice) => {
  const control = choiceOf(state, field);
  if (control) control.value = valueIn(control, choice);
  // A thread with only one sender has no control. The server refuses this hidden `choice` once, so that the
  // person checks it.
  else if (choice && !["everyone", "unchosen"].includes(choice))
    state.element.append(
      Object.assign(document.createElement("input"), {
        type: "hidden",
        name: field.dataset.choice,
        value: choice,
      }),
    );
};
const unchoose = (state, field) => {
  const control = choiceOf(state, field);
  if (control?.type === "hidden") control.remove();
  else if (control)
    control.value = [...control.options].find(({ defaultSelected }) => defaultSelected)?.value ?? "";
};
// A value that was sent and refused counts as unsent, even if it has not changed on this page.
export const isTyped = (state, field) =>
  state.unsaved.has(field.name) ? field.value !== "" : field.value !== field.defaultValue;

export const showHintAt = (element, text) => {
  const note = document.createElement("div");
  note.className = "notice attention";
  note.textContent = text;
  element.before(note);
  announce(text);
  note.scrollIntoView({ block: "nearest" });
};

// Saves typed text on the server. Then the text is also available on other devices and after a sign-out.
// (rule O17)
export const pause = 3_000;
export const pauseAfterFailure = 15_000;
export const saveSoon = (state, after = pause) => {
  state.timer ??= setTimeout(() => save(state), after);
};
export const stopSaving = (state) => {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.running?.abort();
  state.running = undefined;
};
// Whether text must be saved when the person leaves the page. Leaving the page aborts a running save.
const isWaiting = (state) => state.timer !== undefined || state.running !== undefined;
// One request can tell the server to end at most this number of writers (opened pages).
const mostReplaced = 50;
/** @param {{ replaces?: Iterable<string> }} draft */
const replacedBy = ({ replaces = [] }) => [...replaces].slice(-mostReplaced);
const addReplaced = (body, writers) => {
  for (const writer of writers) body.append("replaces", writer);
};
// A text that is longer than its limit is stored only in this browser.
const limitOf = (state, name) => Number(fieldOf(state, name)?.dataset.draft ?? Infinity);
export const bodyOf = (draft, fields) => {
  const body = new URLSearchParams({
    page: draft.page,
    "draft-form": draft.form,
    "draft-writer": draft.writer,
  });
  for (const [name, { text, was, choice }] of fields) {
    body.append("field", name);
    body.append("text", text);
    body.append("was", was ?? "");
    if (choice !== undefined) body.append(`choice-${name}`, choice);
  }
  return body;
};
export const send = (body, options = {}) =>
  fetch(`${document.documentElement.dataset.drafts}/save`, {
    method: "POST",
    body,
    headers: { Accept: "application/json" },
    ...options,
  });
let hasNotedEnd = false;
const noteEnd = (state) => {
  if (hasNotedEnd) return;
  hasNotedEnd = true;
  showHintAt(
    state.element,
    "You are signed out. Your text is stored only in this browser. Sign in again in another tab, or send the form and then sign in.",
  );
};
export const save = async (state, keepalive = false) => {
  clearTimeout(state.timer);
  state.timer = undefined;
  const fields = Object.entries(state.fields).filter(
    ([name, { text }]) => [...text].length <= limitOf(state, name),
  );
  const body = bodyOf(state, fields);
  const replaced = replacedBy(state);
  addReplaced(body, replaced);
  const said = String(body);
  if (said === state.said || (state.said === undefined && fields.length + replaced.length === 0)) return;
  const { answering } = state;
  if (answering) body.append("answering", answering);
  state.answering = undefined;
  const running = new AbortController();
  state.running = running;
  const answer = await send(body, { keepalive, signal: running.signal }).catch(() => undefined);
  if (running.signal.aborted) return;
  if (state.running === running) state.running = undefined;
  if (answer?.status === 401) return noteEnd(state);
  if (!answer || answer.status === 429 || answer.status >= 500) return saveSoon(state, pauseAfterFailure);
  if (!answer.ok) return;
  for (const writer of replaced) state.replaces.delete(writer);
  // The next save compares its body with `said`. The next body no longer contains the writers in `replaced`.
  state.said = String(bodyOf(state, fields));
  const { kept, ended } = await answer.json().catch(() => ({ kept: [] }));
  if (ended) {
    startWriter(state);
    return save(state, keepalive);
  }
  markSaved(state, kept, replacedBy(state));
};
// Starts a new writer after another page has ended the old writer. Text in the form becomes a new draft.
const startWriter = (state) => {
  store(draftName(state), null);
  state.writer = newWriter();
  state.said = undefined;
  keep(state);
};
const markSaved = (draft, kept, replaces) => {
  const here = stored(draftName(draft));
  const isSaved =
    here &&
    Object.entries(here.fields).every(
      ([name, { text, choice }]) =>
        kept.includes(name) && draft.fields[name]?.text === text && draft.fields[name]?.choice === choice,
    );
  if (isSaved) store(draftName(draft), JSON.stringify({ ...here, replaces, saved: true }));
};
// Saves text that was typed offline, or in a tab that is already closed.
export const saveOthers = async (before = Infinity) => {
  const waiting = ownDrafts().filter(
    (draft) => !draft.saved && draft.at < before && !typing.some(({ writer }) => writer === draft.writer),
  );
  for (const draft of waiting) {
    const answer = await saveOther(draft);
    // The server accepts no more text now. The remaining texts stay in this browser and are sent later.
    if (answer?.status === 429) return void setTimeout(() => saveOthers(before), pauseAfterFailure);
  }
};
const saveOther = async (draft) => {
  const body = bodyOf(draft, Object.entries(draft.fields));
  addReplaced(body, replacedBy(draft));
  const answer = await send(body).catch(() => undefined);
  if (!answer?.ok) return answer;
  const { kept, ended, taken } = await answer.json().catch(() => ({ kept: [] }));
  if (!ended) markSaved(draft, kept, []);
  else {
    // Another page has ended the writer of `draft`. If the server did not have these texts, a new draft stores
    // the texts.
    store(draftName(draft), null);
    if (!taken) return saveOther(storeAgain(draft));
  }
  return answer;
};
// Stores a draft under a new writer. Two tabs may do this at once, so both give the writer the same name.
const storeAgain = (draft) => {
  const renewed = { ...draft, writer: `${draft.writer}_` };
  const { at, page, fields, replaces } = renewed;
  store(draftName(renewed), JSON.stringify({ at, page, fields, replaces }));
  return renewed;
};
export const signOut = async (form) => {
  for (const state of typing) await save(state);
  await saveOthers();
  const lost = ownDrafts().filter(({ saved }) => !saved).length;
  if (lost > 0 && !confirm("Some unsent text is only in this browser, and a sign-out deletes it. Sign out?"))
    return;
  inTab.set("innkeep-leaving", person);
  form.dataset.ready = "";
  form.requestSubmit();
  delete form.dataset.ready;
};
if (person) {
  addEventListener("pagehide", () => {
    for (const state of typing) if (isWaiting(state)) save(state, true);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) for (const state of typing) if (isWaiting(state)) save(state, true);
  });
  addEventListener("online", () => {
    for (const state of typing) if (Object.keys(state.fields).length > 0) save(state);
    saveOthers();
  });
  // A late save may have stored sent text again. This request removes the text from the server.
  const rest = word === undefined ? undefined : ownDrafts().find(({ writer }) => writer === last.writer);
  if (word !== undefined) {
    const body = bodyOf(last, Object.entries(rest?.fields ?? {}));
    addReplaced(body, replacedBy(last));
    if (last.thread) body.append("answering", last.thread);
    send(body).catch(() => undefined);
  }
}

// Stores the text of a form. The function is called after each keystroke, and when the person sends the form.
export const keep = (state) => {
  const typed = draftFields(state.element).filter((field) => isTyped(state, field));
  const now = typed.map((field) => [
    field.name,
    {
      text: field.value,
      was: typedFor(state, field.name),
      choice: choiceOf(state, field)?.value,
    },
  ]);
  // If a field is no longer in the form, its text is stored until the person discards it.
  state.fields = { ...state.extra, ...Object.fromEntries(now) };
  const draft = { at: Date.now(), page: state.page, fields: state.fields, replaces: replacedBy(state) };
  store(draftName(state), Object.keys(state.fields).length > 0 ? JSON.stringify(draft) : null);
  saveSoon(state);
};

// The forms with unsent text. The browser warns before the person leaves the page or sends another form.
export const dirty = new Set();
let leaving;
for (const form of document.querySelectorAll("form[data-guards]")) {
  // Ignores controls that only change the view. They are inside the form element, but do not belong to the form.
  form.addEventListener("input", ({ target }) => {
    if (/** @type {any} */ (target).form === form) dirty.add(form);
  });
  // Some buttons load the page again without saving the form. Then the text in the form is still unsent.
  if ("unsaved" in form.dataset) dirty.add(form);
}
addEventListener("beforeunload", (event) => {
  const left = [...dirty].some((form) => form !== leaving);
  leaving = undefined;
  if (left) event.preventDefault();
});
for (const state of typing)
  state.element.addEventListener("input", (/** @type {any} */ { target }) => {
    // The next save tells the server in which thread the person is writing. Other members see who is writing.
    if ("answers" in target.dataset) state.answering = state.element.dataset.thread;
    state.restored.delete(target.name);
    keep(state);
  });

// Removes a form from `dirty` if all its texts are saved.
const cleanIfSaved = (state) => {
  if (!draftFields(state.element).some((field) => isTyped(state, field))) dirty.delete(state.element);
};
// Whether a field becomes empty after its text was sent. Other fields show the stored value.
const isEmptied = (state, field) =>
  "adds" in field.dataset || (field.matches("textarea") && !wasOf(state, field.name));

// Removes text that another tab has sent, so that it is not sent twice.
const clearSent = (state, texts) => {
  const cleared = texts.flatMap(([name, text]) => {
    const field = fieldOf(state, name);
    return field?.value === text && text !== "" ? [field] : [];
  });
  for (const field of cleared) {
    field.defaultValue = field.value = isEmptied(state, field) ? "" : field.value;
    state.unsaved.delete(field.name);
    state.restored.delete(field.name);
  }
  if (cleared.length === 0) return;
  cleanIfSaved(state);
  keep(state);
  state.element.dispatchEvent(new Event("restored"));
  showHintAt(state.element, "You sent this text in another tab, so it is no longer here.");
};

// If another tab deletes a draft of this tab, the text in this tab's form becomes a new draft.
addEventListener("storage", ({ key, newValue }) => {
  const sentHere = newValue && typing.find(({ form }) => sentName(form) === key);
  if (sentHere) return clearSent(sentHere, JSON.parse(newValue));
  const state = typing.find((known) => draftName(known) === key);
  if (newValue === null && state && !storedNames().includes(`innkeep-left ${person}`)) startWriter(state);
});

// Sends the form if the server answers. Offline browsers may still reach a server on the same machine.
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
  for (const [name, value] of draftValues(state)) {
    const hidden =
      form.elements[name] ??
      form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
    hidden.value = value;
  }
  state.heldBack = heldBackBy(state, event.submitter);
  const names = draftFields(form).map(({ name }) => name);
  noteSent(
    state,
    names.filter((name) => !state.heldBack.includes(name)),
  );
});
for (const state of typing)
  state.element.addEventListener("formdata", ({ formData }) => {
    for (const name of state.heldBack) formData.delete(name);
    state.heldBack = [];
  });

// The values with which the server finds the drafts of a sent form.
const draftValues = (state) => [
  ["draft-form", state.form],
  ["draft-writer", state.writer],
  ["draft-replaces", replacedBy(state).join(" ")],
  ["draft-person", person],
];
const noteSent = (state, names) =>
  inTab.set("innkeep-sent", {
    person,
    names,
    page: state.page,
    form: state.form,
    writer: state.writer,
    replaces: replacedBy(state),
    thread: state.element.dataset.thread,
    once: state.element.elements.once?.value,
  });
// Returns the restored fields that a button with `formaction` does not send. The person may have overlooked
// restored texts.
const heldBackBy = (state, submitter) =>
  submitter?.hasAttribute("formaction")
    ? [...state.restored].filter((name) => fieldOf(state, name)?.closest("[data-saves]"))
    : [];

// Adds the values for drafts to `body`, before `fetch` sends the fields. Call `endSent` or `keepRefused` after
// the answer.
export const beginSent = (state, body, names) => {
  keep(state);
  stopSaving(state);
  for (const [name, value] of draftValues(state)) body.set(name, value);
  noteSent(state, names);
};
// Removes `texts` (the sent texts by field) from `state`. Text that was typed later stays.
const forgetSent = (state, texts) => {
  inTab.set("innkeep-sent", null);
  takeWord(state.element.elements.once?.value);
  for (const [name, text] of Object.entries(texts)) {
    if (state.fields[name]?.text === text) delete state.fields[name];
    state.unsaved.delete(name);
    state.restored.delete(name);
  }
};
// Deletes the drafts of saved texts, and starts a new writer. Call `keepRest` when the page shows the stored
// values.
export const endSent = (state, texts) => {
  forgetSent(state, texts);
  tellSent(state.form, Object.entries(texts));
  for (const draft of ownDrafts()) if (draft.form === state.form) dropTexts(draft, texts);
  // The server ends the writer in `state.writer`, so that a late save of this writer stores nothing.
  state.replaces.add(state.writer);
  store(draftName(state), null);
  state.writer = newWriter();
  state.said = undefined;
};
const dropTexts = (draft, texts) => {
  const left = Object.entries(draft.fields).filter(([name, { text }]) => texts[name] !== text);
  if (left.length === Object.keys(draft.fields).length) return;
  const { person: _, form: __, writer: ___, ...rest } = draft;
  store(
    draftName(draft),
    left.length > 0 ? JSON.stringify({ ...rest, fields: Object.fromEntries(left) }) : null,
  );
};
// Removes refused texts from a form's state. To store the texts again, call `keepRest` when the page shows the
// refusal.
export const keepRefused = forgetSent;
// Stores the texts that are still unsent after a part of the form was replaced.
export const keepRest = (state) => {
  for (const field of draftFields(state.element))
    if ("unsaved" in field.dataset && field.closest("[data-saves]")) state.unsaved.add(field.name);
  keep(state);
  cleanIfSaved(state);
  save(state);
};

// After a part of the page was replaced, its fields get their unsent texts again.
document.addEventListener("replaced", ({ target }) => {
  for (const state of typing)
    for (const field of draftFields(state.element)) {
      const typed = /** @type {any} */ (target).contains(field) && state.fields[field.name];
      if (typed) fill(state, field.name, typed);
    }
});

// Restores unsent text of this browser automatically. For text of another tab or device, the person clicks
// once. (rule O17)
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const lengths = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const agoOf = (at) => {
  const [unit, length] = lengths.find(([, length]) => Date.now() - at >= length) ?? [];
  return unit
    ? new Intl.RelativeTimeFormat("en").format(-Math.floor((Date.now() - at) / length), unit)
    : "just now";
};
const isChosen = (state, field, choice) => {
  const control = choiceOf(state, field);
  return !control || choice === undefined || control.value === valueIn(control, choice);
};
// Groups a draft's fields. The form's field is equal to the draft (`same`), unchanged (`free`), edited
// (`taken`) or missing (`gone`).
const compare = (state, draft) => {
  const found = { same: [], free: [], taken: [], gone: [] };
  for (const [name, { text, choice }] of Object.entries(draft.fields)) {
    const field = fieldOf(state, name);
    if (!field) found.gone.push(name);
    else if (field.value === text && isChosen(state, field, choice)) {
      // A draft that is equal to the stored value is not needed.
      if ("unsaved" in field.dataset || isTyped(state, field)) found.same.push(name);
    } else found[isTyped(state, field) ? "taken" : "free"].push(name);
  }
  return found;
};
const reveal = (field) => {
  for (let part = field.closest("details"); part; part = part.parentElement.closest("details"))
    part.open = true;
  const [name, value] = field.closest("[data-shown-by]")?.dataset.shownBy.split("=") ?? [];
  if (name) field.form.elements[name].value = value;
};
const fill = (state, name, /** @type {Typed} */ { text, was, choice }) => {
  const field = fieldOf(state, name);
  field.value = text;
  choose(state, field, choice);
  const version = wasOf(state, name);
  if (was && version) {
    version.dataset.shown ??= version.value;
    version.value = was;
  }
  reveal(field);
};
// Puts the stored values and their versions back into the fields.
const empty = (state, names) => {
  for (const name of names) {
    const [field, version] = [fieldOf(state, name), wasOf(state, name)];
    if (field) {
      field.value = field.defaultValue;
      unchoose(state, field);
    }
    if (version?.dataset.shown) version.value = version.dataset.shown;
  }
  state.element.dispatchEvent(new Event("restored"));
};
const labelOf = (field) => field.labels?.[0]?.textContent.trim() || "The field";
// Finds stored values that changed after a draft was typed. Returns a message, and text areas with the stored
// values.
const changedSince = (state, draft, names) => {
  const fields = names
    .filter((name) => {
      const [{ was }, version] = [draft.fields[name], wasOf(state, name)];
      return was && version && was !== (version.dataset.shown ?? version.value);
    })
    .map((name) => fieldOf(state, name));
  const words = fields.map(
    (field) =>
      ` ${labelOf(field)} was changed since you typed this. Compare your text with the saved text below.`,
  );
  return {
    words: words.join(""),
    texts: fields.map((field) => shownText(`Saved text of ${labelOf(field)}`, field.defaultValue)),
  };
};
// Puts the texts of a draft into the form. This page now stores the texts, so the draft is deleted.
const takeOver = (state, draft, { same, free, taken, gone }) => {
  for (const name of [...free, ...taken]) {
    fill(state, name, draft.fields[name]);
    state.restored.add(name);
  }
  for (const name of same) if ("unsaved" in fieldOf(state, name).dataset) state.unsaved.add(name);
  for (const name of gone) state.extra[name] = draft.fields[name];
  if (free.length + taken.length > 0 && "guards" in state.element.dataset) dirty.add(state.element);
  for (const writer of [...replacedBy(draft), draft.writer]) state.replaces.add(writer);
  keep(state);
  store(draftName(draft), null);
  state.element.dispatchEvent(new Event("restored"));
};
const forget = (draft) => {
  store(draftName(draft), null);
  const body = bodyOf(draft, []);
  addReplaced(body, [...replacedBy(draft), draft.writer].slice(-mostReplaced));
  send(body, { keepalive: true }).catch(() => undefined);
};

const button = (text, act) => {
  const made = Object.assign(document.createElement("button"), {
    type: "button",
    className: "small",
    textContent: text,
  });
  made.addEventListener("click", act);
  return made;
};
const shownText = (label, text) => {
  const area = Object.assign(document.createElement("textarea"), {
    readOnly: true,
    className: "short",
    value: text,
  });
  area.setAttribute("aria-label", label);
  return area;
};
const tellDraft = (element, words, buttons, texts) => {
  const note = document.createElement("div");
  note.className = "notice stack tight";
  note.dataset.draftNote = "";
  const line = document.createElement("div");
  line.className = "row spread";
  const said = Object.assign(document.createElement("span"), { textContent: words });
  line.append(said, ...buttons(() => note.remove()));
  note.append(line, ...texts);
  element.before(note);
  // The message is delayed, because screen readers ignore messages on a page that has just been opened.
  setTimeout(() => announce(words), 1_000);
};
const textsOf = (draft, names) =>
  names
    .filter((name) => draft.fields[name].text !== "")
    .map((name) => shownText("Unsent text", draft.fields[name].text));

// Describes the choices, such as a receiver, that were restored with the texts of the fields in `names`.
const choiceWords = (state, names) =>
  names
    .map((name) => fieldOf(state, name))
    .map((field) => choiceOf(state, field))
    .filter(Boolean)
    .map((control) => {
      if (control.type === "hidden") return " You typed it for a sender who is no longer in this thread.";
      const [{ text, dataset }] = control.selectedOptions;
      return "unchosen" in dataset ? ` ${text}.` : ` ${labelOf(control)}: ${text}.`;
    })
    .join("");

const tellBack = (state, { same, free, gone }, draft) => {
  const changed = changedSince(state, draft, free);
  const doubt =
    last?.form === state.form && word === undefined
      ? " The server has not confirmed that it was sent. Check this page before you send it again."
      : "";
  tellDraft(
    state.element,
    `Your unsent text was restored.${doubt}${choiceWords(state, free)}${changed.words}`,
    (close) => [
      button("Discard it", () => {
        empty(state, [...same, ...free]);
        for (const name of same) state.unsaved.delete(name);
        for (const name of gone) delete state.extra[name];
        dirty.delete(state.element);
        state.answering = state.element.dataset.thread;
        keep(state);
        save(state, true);
        close();
      }),
    ],
    [...textsOf(draft, gone), ...changed.texts],
  );
};
// Restores a draft after a click. If the draft replaces typed text, the typed text is offered as a draft.
const restore = (state, draft) => {
  const found = compare(state, draft);
  const before = Object.fromEntries(
    found.taken.map((name) => [name, state.fields[name]]).filter(([, field]) => field),
  );
  takeOver(state, draft, found);
  const filled = [...found.free, ...found.taken];
  const changed = changedSince(state, draft, filled);
  const words = `${choiceWords(state, filled)}${changed.words}`.trim();
  if (words) tellDraft(state.element, words, (close) => [button("Close", close)], changed.texts);
  if (Object.keys(before).length > 0) {
    const other = {
      ...draft,
      writer: newWriter(),
      page: state.page,
      at: Date.now(),
      browser: null,
      fields: before,
    };
    store(draftName(other), JSON.stringify({ at: other.at, page: other.page, fields: before }));
    offer(state, other);
    saveOthers();
  }
  const [first] = filled;
  if (first) fieldOf(state, first).focus();
};
const offer = (state, draft) => {
  const { free, taken, gone } = compare(state, draft);
  const place = draft.browser ? ` in ${draft.browser}` : "";
  const canFill = free.length + taken.length > 0;
  tellDraft(
    state.element,
    `You typed this${place} (${agoOf(draft.at)}) and did not send it.`,
    (close) => [
      ...(canFill
        ? [
            button("Restore the text", () => {
              close();
              restore(state, draft);
            }),
          ]
        : []),
      button("Discard it", () => {
        close();
        forget(draft);
      }),
    ],
    textsOf(draft, [...free, ...taken, ...gone]),
  );
};
const offerLost = (draft) =>
  tellDraft(
    document.querySelector("main > *"),
    `You typed this on this page (${agoOf(draft.at)}) and did not send it. Its form is no longer here.`,
    (close) => [
      button("Discard it", () => {
        close();
        forget(draft);
      }),
    ],
    textsOf(draft, Object.keys(draft.fields)),
  );

const bringBack = (draft, isOwn) => {
  const state = typing.find(({ form }) => form === draft.form);
  if (!state) return draft.page === location.pathname ? offerLost(draft) : undefined;
  const found = compare(state, draft);
  const [fillable, stuck] = [found.free.length + found.gone.length, found.taken.length];
  if (fillable + stuck === 0 || (isOwn && stuck === 0)) {
    takeOver(state, draft, found);
    if (fillable > 0) tellBack(state, found, draft);
  } else offer(state, draft);
};
const known = ownDrafts();
const isRefused = (state) => draftFields(state.element).some((field) => "unsaved" in field.dataset);
for (const state of typing) {
  if (!isRefused(state)) continue;
  if (last?.form === state.form) state.page = last.page;
  if (known.some(({ form }) => form === state.form)) continue;
  for (const field of draftFields(state.element))
    if ("unsaved" in field.dataset) state.unsaved.add(field.name);
  keep(state);
}
for (const draft of known) bringBack(draft, true);

const seen = new Set([
  last?.writer,
  ...(last?.replaces ?? []),
  ...known.flatMap((draft) => [...replacedBy(draft), draft.writer]),
  ...typing.map(({ writer }) => writer),
]);
const offerFromServer = async () => {
  const asked = new URLSearchParams({ page: location.pathname });
  for (const { form } of typing) asked.append("form", form);
  const answer = await fetch(`${document.documentElement.dataset.drafts}/of-page?${asked}`, {
    headers: { Accept: "application/json" },
  }).catch(() => undefined);
  const { items } = answer?.ok ? await answer.json().catch(() => ({ items: [] })) : { items: [] };
  const drafts = new Map();
  for (const { form, field, writer, text, was, choice, page, browser, updatedAt } of items) {
    if (seen.has(writer)) continue;
    const draft = drafts.get(`${form} ${writer}`) ?? {
      person,
      page,
      form,
      writer,
      browser,
      at: Date.parse(updatedAt),
      fields: {},
    };
    draft.fields[field] = { text, was, choice: choice ?? undefined };
    drafts.set(`${form} ${writer}`, draft);
  }
  for (const draft of drafts.values()) bringBack(draft, false);
};
if (typing.length > 0) offerFromServer();
setTimeout(() => {
  if (person) saveOthers(Date.now() - pauseAfterFailure);
}, pause);
