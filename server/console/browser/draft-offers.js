// Restores unsent text. Text from this browser is restored automatically. Text from another tab or device is restored
// with one click. (rule O17)
import { draftFields, fieldOf, isTyped, newWriter, typing, wasOf } from "./draft-forms.js";
import { bodyOf, pause, pauseAfterFailure, save, saveOthers, send } from "./draft-server.js";
import { draftName, last, ownDrafts, person, store, word } from "./draft-store.js";
import { dirty, keep } from "./drafts.js";
import { announce } from "./page.js";

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
// Compares the texts of a draft with the fields. A text can be equal to its field (`same`). Its field can be unchanged
// (`free`), have other typed text (`taken`), or be missing in the form (`gone`).
const compare = (state, draft) => {
  const found = { same: [], free: [], taken: [], gone: [] };
  for (const [name, { text }] of Object.entries(draft.fields)) {
    const field = fieldOf(state, name);
    if (!field) found.gone.push(name);
    else if (field.value === text) {
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
const fill = (state, name, { text, was }) => {
  const field = fieldOf(state, name);
  field.value = text;
  if (was && wasOf(state, name)) wasOf(state, name).value = was;
  reveal(field);
};
// Moves the text of a draft into this page. After this, the text belongs to this page.
const takeOver = (state, draft, { same, free, taken, gone }) => {
  for (const name of [...free, ...taken]) fill(state, name, draft.fields[name]);
  for (const name of same) if ("unsaved" in fieldOf(state, name).dataset) state.unsaved.add(name);
  for (const name of gone) state.extra[name] = draft.fields[name];
  if (free.length + taken.length > 0 && "guards" in state.element.dataset) dirty.add(state.element);
  state.replaces.add(draft.writer);
  keep(state);
  store(draftName(draft), null);
};
const forget = (draft) => {
  store(draftName(draft), null);
  send(bodyOf(draft, []), { keepalive: true }).catch(() => undefined);
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
  // The message is delayed, because screen readers ignore messages on a page that has just opened.
  setTimeout(() => announce(words), 1_000);
};
const textsOf = (draft, names) =>
  names
    .filter((name) => draft.fields[name].text !== "")
    .map((name) => shownText("Unsent text", draft.fields[name].text));

const tellBack = (state, { same, free, gone }, draft) => {
  const doubt =
    last?.form === state.form && word === undefined
      ? " The server has not confirmed that it was sent. Check this page before you send it again."
      : "";
  const receiver =
    state.element.elements.replyReceiver && free.includes("replyBody") ? " Check who gets the reply." : "";
  tellDraft(
    state.element,
    `Your unsent text was restored.${doubt}${receiver}`,
    (close) => [
      button("Discard it", () => {
        for (const name of [...same, ...free])
          if (fieldOf(state, name)) fieldOf(state, name).value = fieldOf(state, name).defaultValue;
        for (const name of same) state.unsaved.delete(name);
        for (const name of gone) delete state.extra[name];
        dirty.delete(state.element);
        state.answering = state.element.dataset.thread;
        keep(state);
        save(state, true);
        close();
      }),
    ],
    textsOf(draft, gone),
  );
};
// Restores a draft with one click. The text that was in the form before is then offered in the same way.
const restore = (state, draft) => {
  const found = compare(state, draft);
  const before = Object.fromEntries(
    found.taken.map((name) => [name, state.fields[name]]).filter(([, field]) => field),
  );
  takeOver(state, draft, found);
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
  const first = [...found.free, ...found.taken][0];
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
  ...known.map(({ writer }) => writer),
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
  for (const { form, field, writer, text, was, page, browser, updatedAt } of items) {
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
    draft.fields[field] = { text, was };
    drafts.set(`${form} ${writer}`, draft);
  }
  for (const draft of drafts.values()) bringBack(draft, false);
};
if (typing.length > 0) offerFromServer();
setTimeout(() => {
  if (person) saveOthers(Date.now() - pauseAfterFailure);
}, pause);
