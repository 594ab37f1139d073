// Saves typed text on the server, so that other devices can show it, and so that it is not lost after a sign-out. (rule
// O17)
import { fieldOf, showHintAt, typing } from "./draft-forms.js";
import { draftName, inTab, last, ownDrafts, person, store, stored, word } from "./draft-store.js";

export const pause = 3_000;
export const pauseAfterFailure = 15_000;
export const saveSoon = (state, after = pause) => {
  state.timer ??= setTimeout(() => save(state), after);
};
export const stopSaving = (state) => {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.running?.abort();
};
// A text that is longer than its limit is stored only in this browser.
const limitOf = (state, name) => Number(fieldOf(state, name)?.dataset.draft ?? Infinity);
export const bodyOf = (draft, fields) => {
  const body = new URLSearchParams({
    page: draft.page,
    "draft-form": draft.form,
    "draft-writer": draft.writer,
  });
  for (const [name, { text, was }] of fields) {
    body.append("field", name);
    body.append("text", text);
    body.append("was", was ?? "");
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
  const replaced = [...state.replaces];
  for (const writer of replaced) body.append("replaces", writer);
  const said = String(body);
  if (said === state.said || (state.said === undefined && fields.length + replaced.length === 0)) return;
  const { answering } = state;
  if (answering) body.append("answering", answering);
  state.answering = undefined;
  const running = new AbortController();
  state.running = running;
  const answer = await send(body, { keepalive, signal: running.signal }).catch(() => undefined);
  if (running.signal.aborted) return;
  if (answer?.status === 401) return noteEnd(state);
  if (!answer || answer.status === 429 || answer.status >= 500) return saveSoon(state, pauseAfterFailure);
  if (!answer.ok) return;
  for (const writer of replaced) state.replaces.delete(writer);
  // Replaced writers are ignored in the comparison with the next request, because that request has none.
  state.said = String(bodyOf(state, fields));
  markSaved(state, (await answer.json().catch(() => ({ kept: [] }))).kept);
};
const markSaved = (draft, kept) => {
  const here = stored(draftName(draft));
  const isSaved =
    here &&
    Object.entries(here.fields).every(
      ([name, { text }]) => kept.includes(name) && draft.fields[name]?.text === text,
    );
  if (isSaved) store(draftName(draft), JSON.stringify({ ...here, saved: true }));
};
// Saves text that was typed offline, or in a tab that is already closed.
export const saveOthers = async (before = Infinity) => {
  const waiting = ownDrafts().filter(
    (draft) => !draft.saved && draft.at < before && !typing.some(({ writer }) => writer === draft.writer),
  );
  for (const draft of waiting) {
    const answer = await send(bodyOf(draft, Object.entries(draft.fields))).catch(() => undefined);
    // The server accepts no more text now. The rest is stored in this browser and is sent later.
    if (answer?.status === 429) return void setTimeout(saveOthers, pauseAfterFailure);
    if (answer?.ok) markSaved(draft, (await answer.json()).kept);
  }
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
    for (const state of typing) if (state.timer) save(state, true);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) for (const state of typing) if (state.timer) save(state, true);
  });
  addEventListener("online", () => {
    for (const state of typing) if (Object.keys(state.fields).length > 0) save(state);
    saveOthers();
  });
  // A late save may have stored a text on the server that the form had already sent. This removes that text.
  const rest = word === undefined ? undefined : ownDrafts().find(({ writer }) => writer === last.writer);
  if (word !== undefined) {
    const body = bodyOf(last, Object.entries(rest?.fields ?? {}));
    if (last.thread) body.append("answering", last.thread);
    send(body).catch(() => undefined);
  }
}
