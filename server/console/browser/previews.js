// Shows the preview of a text while a person types, and puts pictures into the text without loading the page.
import { announce, localise } from "./page.js";

/** @type {any} */
const form = document.querySelector("form[data-previews]");
const paneOf = (page) => page.querySelector("[data-preview]");
const parse = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
const showPane = (page) => {
  const fresh = paneOf(page);
  const pane = paneOf(document);
  if (!fresh || !pane) return false;
  pane.replaceChildren(...fresh.childNodes);
  localise(pane);
  for (const part of document.querySelectorAll("[data-refreshed]"))
    showPart(part, page.getElementById(part.id));
  form.dispatchEvent(new Event("refreshed"));
  return true;
};
// Replaces the content of a part of the form. Does nothing while an element in the part has the focus.
const showPart = (part, fresh) => {
  const active = document.activeElement;
  if (!fresh || (part !== active && part.contains(active))) return;
  const isOpen = part.querySelector("details")?.open;
  part.replaceChildren(...fresh.childNodes);
  const folded = part.querySelector("details");
  if (folded && isOpen) folded.open = true;
};
const pause = 250;
/** @type {AbortController | undefined} */
let running;
const refresh = async () => {
  running?.abort();
  running = new AbortController();
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  for (const name of ["draft-form", "draft-writer", "draft-replaces", "pictures"]) body.delete(name);
  body.set("intent", "preview");
  const request = { method: "POST", body, headers: { Accept: "text/html" }, signal: running.signal };
  const answer = await fetch(form.action, request).catch(() => undefined);
  if (answer?.ok && !answer.redirected) showPane(await parse(answer));
};
let timer = 0;
const later = () => {
  clearTimeout(timer);
  timer = setTimeout(refresh, pause);
};

const sendPictures = async (button, files) => {
  const field = form.elements[button.dataset.addsPictures];
  const body = new FormData(form);
  body.delete("pictures");
  for (const file of files) body.append("pictures", file);
  // The text is empty, so that the answer contains only the new pictures.
  body.set(field.name, "");
  announce("The pictures are being sent.");
  const request = { method: "POST", body, headers: { Accept: "text/html" } };
  const answer = await fetch(button.formAction, request).catch(() => undefined);
  const page = answer && !answer.redirected ? await parse(answer) : undefined;
  const fault = page?.getElementById("field-pictures-fault") || page?.querySelector("main .notice.alert");
  const added = answer?.ok ? /** @type {any} */ (page?.getElementById(field.id))?.value : undefined;
  const message = document.getElementById("pictures-message");
  if (!added) {
    message.textContent = fault?.textContent?.trim() || "The pictures were not added. Try again.";
    announce(message.textContent);
    return;
  }
  message.textContent = "";
  const before = field.value.slice(0, field.selectionStart);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n\n";
  field.setRangeText(`${gap}${added}\n`, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
  announce(files.length === 1 ? "The picture is in the text." : "The pictures are in the text.");
};
const picturesIn = (list) => [...(list || [])].filter(({ type }) => type.startsWith("image/"));

if (form && paneOf(document)) {
  for (const kind of ["input", "change"])
    form.addEventListener(kind, (/** @type {any} */ { target }) => target.type !== "file" && later());
  // The preview from the server shows the stored text. If a draft was restored, the preview must be updated.
  form.addEventListener("restored", later);
  const isTyped = (field) => field.dataset.draft && field.value !== field.defaultValue;
  if ([...form.elements].some(isTyped)) later();
  const button = form.querySelector("button[data-adds-pictures]");
  const input = form.elements.pictures;
  if (button && input) {
    const message = document.createElement("p");
    message.className = "fault";
    message.id = "pictures-message";
    button.closest(".field").append(message);
    button.hidden = true;
    input.addEventListener("change", async () => {
      const files = [...input.files];
      input.value = "";
      if (files.length > 0) await sendPictures(button, files);
    });
    const text = form.elements[button.dataset.addsPictures];
    for (const kind of ["paste", "drop"])
      text.addEventListener(kind, (event) => {
        const files = picturesIn((event.clipboardData || event.dataTransfer)?.files);
        if (files.length === 0) return;
        event.preventDefault();
        sendPictures(button, files);
      });
  }
}
