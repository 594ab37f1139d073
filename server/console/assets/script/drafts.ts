/** Keeps typed text: warns before the page is left, and restores the text after a crash, a lost connection or a closed tab. */
export const drafts = `
// A page that answers a form gets its own address.
const own = document.documentElement.dataset.address;
if (own && new URL(own, location.href).pathname !== location.pathname) history.replaceState(null, "", own);

// A form that was kept during a sign-in is sent without a click.
document.querySelector("form[data-continues]")?.requestSubmit();

// A browser may refuse to store anything.
const store = (name, value) => { try { value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value); } catch {} };
const stored = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
const draftNames = () => { try { return Object.keys(localStorage).filter((name) => name.startsWith("innkeep-draft ")); } catch { return []; } };
const month = 30 * 86_400_000;
const done = document.querySelector("[data-done]");
for (const name of draftNames()) {
  if (done?.dataset.done === "signed-out" || !(stored(name)?.at > Date.now() - month)) store(name, null);
}
try {
  const sent = sessionStorage.getItem("innkeep-sent");
  sessionStorage.removeItem("innkeep-sent");
  if (sent && done) store(sent, null);
} catch {}

const draftName = (form) => "innkeep-draft " + document.documentElement.dataset.person + " " + form.dataset.drafts;
const typedFields = (form) =>
  [...form.elements].filter((field) => field.name && !field.readOnly && field.matches("textarea, input[type=text], input[type=url]"));
const saveDraft = (form) => {
  const changed = typedFields(form).filter(({ value, defaultValue }) =>
    "echo" in form.dataset ? value !== "" : value !== defaultValue);
  const valuesOf = (fields) => Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  const began = changed.map(({ name }) => form.elements["was-" + name]).filter(Boolean);
  const draft = { at: Date.now(), values: valuesOf(changed), began: valuesOf(began) };
  store(draftName(form), changed.length > 0 ? JSON.stringify(draft) : null);
};
const dirty = new Set();
const restoreDraft = (form) => {
  const draft = stored(draftName(form));
  const lost = [];
  for (const [name, value] of Object.entries(draft?.values ?? {})) {
    const field = typedFields(form).find((known) => known.name === name);
    if (!field) lost.push(value);
    else if (field.value === field.defaultValue && field.value !== value) {
      field.value = value;
      const began = form.elements["was-" + name];
      if (began && draft.began["was-" + name]) began.value = draft.began["was-" + name];
      for (let part = field.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
      dirty.add(form);
    }
  }
  if (dirty.has(form) || lost.length > 0) tellRestored(form, lost);
};
const tellRestored = (form, lost) => {
  const note = document.createElement("div");
  note.className = "notice row spread";
  const words = document.createElement("span");
  words.textContent = "Your unsent text is back.";
  // Screen readers ignore messages on a page that has just opened.
  setTimeout(() => announce(words.textContent), 1_000);
  const discard = document.createElement("button");
  discard.type = "button";
  discard.className = "small";
  discard.textContent = "Discard it";
  discard.addEventListener("click", () => {
    store(draftName(form), null);
    dirty.delete(form);
    form.reset();
    note.remove();
  });
  note.append(words, discard);
  if (lost.length > 0) {
    const rest = document.createElement("textarea");
    rest.readOnly = true;
    rest.setAttribute("aria-label", "Lines that no longer fit into the form");
    rest.value = lost.join("\\n");
    note.append(rest);
  }
  form.before(note);
};
for (const form of document.querySelectorAll("form[data-drafts]")) {
  if ("echo" in form.dataset) saveDraft(form);
  else restoreDraft(form);
  let soon;
  form.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(() => saveDraft(form), 300);
  });
  form.addEventListener("submit", () => {
    clearTimeout(soon);
    saveDraft(form);
    try { sessionStorage.setItem("innkeep-sent", draftName(form)); } catch {}
  });
}

// Warns before unsent text is lost. Sending one form does not send the others.
let leaving;
for (const form of document.querySelectorAll("form[data-guards]")) {
  form.addEventListener("input", () => dirty.add(form));
}
document.addEventListener("submit", (event) => { leaving = event.target; });
addEventListener("beforeunload", (event) => {
  const left = [...dirty].some((form) => form !== leaving);
  leaving = undefined;
  if (left) event.preventDefault();
});
`;
