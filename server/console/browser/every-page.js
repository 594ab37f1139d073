import { announce, localise, zoned } from "./page.js";

localise(document);

// Removes the parameter `done` from the address, so that a reload does not show the notice again.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

// Shows the print buttons. Then selects the time zone of the browser in fields for a time zone.
for (const button of document.querySelectorAll("button[data-prints]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
for (const select of document.querySelectorAll("select[data-own-zone]")) {
  const own = zoned.resolvedOptions().timeZone;
  // Browsers and servers may use different names for a zone, such as Asia/Kolkata and Asia/Calcutta.
  if (![...select.options].some((option) => option.value === own)) select.add(new Option(own, own));
  select.value = own;
}

// Enter in the field for a snooze day clicks this field's button, not the form's first button.
document.addEventListener("keydown", (event) => {
  const field = /** @type {any} */ (event.target);
  if (event.key !== "Enter" || field.name !== "snoozeDay") return;
  event.preventDefault();
  field.form.requestSubmit(field.closest("details").querySelector("button[value$=day]"));
});

// Writes the time zone of the browser into hidden fields.
for (const field of document.querySelectorAll("input[data-own-zone]"))
  field.setAttribute("value", zoned.resolvedOptions().timeZone);

// Shows the buttons that copy a secret.
for (const button of document.querySelectorAll("button[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copies);
    source.select?.();
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = "Copied";
    announce("Copied.");
  });
}

// After a form is sent, the browser shows the address of the form. This shows the address of the page instead.
const own = document.documentElement.dataset.address;
if (own && new URL(own, location.href).pathname !== location.pathname) history.replaceState(null, "", own);

// After a sign-in, sends the form that the person had sent before the sign-in.
document.querySelector("form[data-continues]")?.requestSubmit();
