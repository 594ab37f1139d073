import { person } from "./draft-store.js";
import { announce } from "./page.js";

// The forms of this page, and the text that is typed in each of them.
export const draftFields = (form) =>
  [...form.elements].filter((field) => field.name && field.dataset.draft && !field.readOnly);
const pathOf = (form) => new URL(form.getAttribute("action") || "", location.href).pathname;
export const newWriter = () =>
  Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(8, "0");
/**
 * A form of this page, and the text that is typed in it.
 * @typedef {object} Typing
 * @property {HTMLFormElement} element
 * @property {string} person
 * @property {string} form The path of the form.
 * @property {string} page
 * @property {string} writer
 * @property {Record<string, { text: string, was: string }>} fields
 * @property {Record<string, { text: string, was: string }>} extra The texts of fields that are no longer in the form.
 * @property {Set<string>} unsaved The fields whose values were sent and refused.
 * @property {Set<string>} replaces The writers whose text this page has taken over.
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
    replaces: new Set(),
  }));
// Unsent text is a draft, so the browser need not put it back. It would also put back a text that was sent.
for (const { element } of typing) for (const field of draftFields(element)) field.autocomplete = "off";
export const fieldOf = (state, name) => draftFields(state.element).find((field) => field.name === name);
export const wasOf = (state, name) => state.element.elements[`was-${name}`];
// If the value of a field was sent and refused, the text counts as unsent, even if it has not changed on this page.
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
