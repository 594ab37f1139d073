// Inserts a saved reply without loading the page. The server fills in the placeholders.
import { announce } from "./page.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-inserts]");
  if (!button) return;
  event.preventDefault();
  const form = button.form;
  const field = form.elements[button.dataset.inserts];
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  const request = { method: "POST", body, headers: { Accept: "text/html" } };
  const answer = await fetch(button.formAction, request).catch(() => undefined);
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
  const next = new DOMParser().parseFromString(text, "text/html").getElementById(field.id);
  if (!next) {
    button.removeAttribute("data-inserts");
    return button.click();
  }
  field.value = next.value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
  announce("The saved reply is in the field.");
});
