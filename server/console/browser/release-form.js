// The form of a release note. Lines are added without loading the page. The publication time is in the time zone of the
// browser, and UTC is shown below it.
import { zoned } from "./page.js";

/** @type {any} */
const form = document.querySelector("form.editor");

const addLine = (button) => {
  const list = button.dataset.addsLine;
  const part = button.closest("fieldset");
  const lines = part.querySelectorAll(".pair");
  const [last, count] = [lines[lines.length - 1], lines.length];
  const line = last.cloneNode(true);
  const renumbered = (text) => text.replace(`${list}.${count - 1}.`, `${list}.${count}.`);
  for (const label of line.querySelectorAll("label"))
    label.textContent = label.textContent.replace(/\d+$/, String(count + 1));
  for (const field of line.querySelectorAll("input, select, textarea")) {
    field.name = renumbered(field.name);
    const id = `field-${field.name.replaceAll(".", "-")}`;
    line.querySelector(`label[for="${field.id}"]`).htmlFor = id;
    field.id = id;
    field.defaultValue = "";
    if (field.matches("select")) field.selectedIndex = 0;
    else field.value = "";
    for (const name of ["aria-invalid", "aria-describedby"]) field.removeAttribute(name);
  }
  for (const fault of line.querySelectorAll(".fault")) fault.remove();
  last.after(line);
  form.elements[`${list}-rows`].value = count + 1;
  line.querySelector("textarea, input").focus();
};

const showUtc = (field, zone) => {
  const hint = document.getElementById("field-publishedAt-hint");
  const inUtc = document.createElement("span");
  hint.prepend(inUtc);
  const show = () => {
    const at = new Date(field.value);
    const isOwn = zone.value === zoned.resolvedOptions().timeZone && !Number.isNaN(at.getTime());
    inUtc.textContent = isOwn ? `${utc.format(at)}. ` : "";
  };
  field.addEventListener("input", show);
  show();
};
const utc = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
  ...{ timeZone: "UTC", timeZoneName: "short" },
});

if (form) {
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-adds-line]");
    if (!button) return;
    event.preventDefault();
    addLine(button);
  });
  const { zone, publishedAt: field } = form.elements;
  if (zone?.hasAttribute("data-guessed")) {
    zone.value = zoned.resolvedOptions().timeZone;
    // A value that the person has typed and the browser has restored is already in the zone of the browser.
    const isTyped = field.value !== field.defaultValue;
    if (field.defaultValue) {
      const [at, typed] = [new Date(`${field.defaultValue}Z`), field.value];
      const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
      field.defaultValue = local;
      field.value = isTyped ? typed : local;
    }
    field.labels[0].textContent = `Publication time (${zone.value})`;
  }
  if (zone) showUtc(field, zone);
}
