// Stores typed text in this browser. Each opened page (a writer) stores separate text for a form.

// Errors are ignored, because a browser may refuse to store data.
export const store = (name, value) => {
  try {
    value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value);
  } catch {}
};
export const stored = (name) => {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
};
export const storedNames = () => {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
};
export const inTab = {
  get: (name) => {
    try {
      return JSON.parse(sessionStorage.getItem(name));
    } catch {
      return null;
    }
  },
  set: (name, value) => {
    try {
      value === null ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, JSON.stringify(value));
    } catch {}
  },
};
export const person = document.documentElement.dataset.person;
const month = 30 * 86_400_000;
export const draftName = (of) => ["innkeep-draft", of.person, of.form, of.writer].join(" ");
const draftsHere = () =>
  storedNames()
    .filter((name) => name.startsWith("innkeep-draft "))
    .map((name) => {
      const [, person, form, writer] = name.split(" ");
      return { fields: {}, at: 0, ...stored(name), person, form, writer };
    });
for (const draft of draftsHere()) if (!(draft.at > Date.now() - month)) store(draftName(draft), null);
// After a sign-out, the person's texts are deleted from this browser. The entry `innkeep-left` informs other tabs about
// the sign-out.
if (person) store(`innkeep-left ${person}`, null);
const leaver = inTab.get("innkeep-leaving");
if (leaver && document.querySelector("[data-done=signed-out]")) {
  inTab.set("innkeep-leaving", null);
  store(`innkeep-left ${leaver}`, "");
  for (const draft of draftsHere()) if (draft.person === leaver) store(draftName(draft), null);
}
export const ownDrafts = () =>
  draftsHere()
    .filter((draft) => draft.person === person)
    .sort((a, b) => b.at - a.at);

/** Returns the name of the storage entry that tells other tabs which texts of a form were sent. */
export const sentName = (form) => `innkeep-sent ${person} ${form}`;
/** Informs other tabs which texts of a form were sent, as pairs of a field and its text. */
export const tellSent = (form, texts) => {
  store(sentName(form), JSON.stringify(texts));
  store(sentName(form), null);
};

// The last form that this tab sent. After an action, a cookie names the fields whose text the server used.
export const last = inTab.get("innkeep-sent");
if (person || last?.person === undefined) inTab.set("innkeep-sent", null);
export const takeWord = (once) => {
  const start = `innkeep-done-${once}=`;
  const found = document.cookie.split("; ").find((cookie) => cookie.startsWith(start));
  if (found) document.cookie = `${start}; Path=/; Max-Age=0`;
  return found && decodeURIComponent(found.slice(start.length));
};
export const word = last && last.person === person ? takeWord(last.once) : undefined;
if (word !== undefined) {
  const names = word === "all" ? last.names : word.split(" ");
  const isDone = (name) => names.includes(name);
  const same = ownDrafts().filter(({ form }) => form === last.form);
  // `sent` is a copy, because the loop below removes fields from each draft.
  const sent = { ...same.find(({ writer }) => writer === last.writer)?.fields };
  // Other tabs may show the same texts. These tabs must know the sent texts before the drafts are deleted
  // below.
  const texts = Object.entries(sent).flatMap(([name, { text }]) => (isDone(name) ? [[name, text]] : []));
  tellSent(last.form, texts);
  for (const draft of same) {
    for (const [name, { text }] of Object.entries(draft.fields)) {
      if (isDone(name) && (draft.writer === last.writer || sent[name]?.text === text))
        delete draft.fields[name];
    }
    const left = Object.keys(draft.fields).length > 0;
    store(draftName(draft), left ? JSON.stringify(draft) : null);
  }
}
