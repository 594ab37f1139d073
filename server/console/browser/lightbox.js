// Adds the number of the image to an opened image. Also adds buttons for the original size and for other
// images.
import { announce } from "./page.js";

const boxes = () => [...document.querySelectorAll(".lightbox")];
const opened = () => document.querySelector(".lightbox:popover-open");
const openerOf = (box) => document.querySelector(`[popovertarget="${box.id}"]`);

const setZoom = (box, isActual) => {
  box.classList.toggle("actual", isActual);
  const button = box.querySelector("[data-zooms]");
  button.setAttribute("aria-pressed", String(isActual));
  const view = box.querySelector(".view");
  // An element that scrolls must be reachable with the keyboard.
  if (isActual) view.tabIndex = 0;
  else view.removeAttribute("tabindex");
};

const prepare = (box) => {
  const all = boxes();
  const at = all.indexOf(box);
  for (const button of box.querySelectorAll("[data-turns]")) {
    button.hidden = all.length === 1;
    button.disabled = !all[at + Number(button.dataset.turns)];
  }
  const place = box.querySelector(".place");
  place.hidden = all.length === 1;
  place.textContent = `${at + 1} of ${all.length}`;
  box.querySelector("[data-zooms]").hidden = false;
  setZoom(box, false);
};

const turn = (button) => {
  const [all, box] = [boxes(), button.closest(".lightbox")];
  const next = all[all.indexOf(box) + Number(button.dataset.turns)];
  if (!next || button.disabled) return;
  prepare(next);
  box.hidePopover();
  next.showPopover();
  const same = next.querySelector(`[data-turns="${button.dataset.turns}"]`);
  (same.disabled ? next.querySelector("[popovertargetaction=hide]") : same).focus();
  announce(`Image ${all.indexOf(next) + 1} of ${all.length}.`);
};

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-turns]");
  if (button) turn(button);
  const box = target.closest(".lightbox");
  if (box && target.closest("[data-zooms], .view img")) setZoom(box, !box.classList.contains("actual"));
});
document.addEventListener("keydown", (event) => {
  const box = opened();
  // In the original size, the arrow keys scroll the image.
  if (!box || box.classList.contains("actual") || event.ctrlKey || event.metaKey || event.altKey) return;
  const button = box.querySelector(`[data-arrow="${CSS.escape(event.key)}"]`);
  if (!button) return;
  event.preventDefault();
  turn(button);
});
// `beforetoggle` comes before an image is shown, `toggle` after it is shown or hidden. These events do not
// bubble.
document.addEventListener(
  "beforetoggle",
  (/** @type {any} */ { target, newState }) => {
    if (target.matches(".lightbox") && newState === "open") prepare(target);
  },
  true,
);
document.addEventListener(
  "toggle",
  (/** @type {any} */ { target, newState }) => {
    if (!target.matches(".lightbox")) return;
    if (newState === "open" && !target.contains(document.activeElement))
      target.querySelector("[popovertargetaction=hide]").focus();
    // When the view is closed, the focus moves to the small version of the image that was shown last.
    if (newState === "closed" && !opened()) openerOf(target)?.focus();
  },
  true,
);
