// Loads a part of a page on demand. Without this script, links lead to pages with these parts.
import { announce, localise } from "./page.js";

// Shows the details of a grid's cell next to the grid. Arrow keys move between cells.
let wanted;
const showBeside = async (link) => {
  wanted = link;
  const answer = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (wanted !== link) return;
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
  const next = new DOMParser().parseFromString(text, "text/html").getElementById(link.dataset.into);
  if (!next) return location.assign(link.href);
  const part = document.getElementById(link.dataset.into);
  localise(next);
  part.replaceChildren(...next.childNodes);
  for (const other of document.querySelectorAll("a[data-into][aria-current]"))
    other.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  history.replaceState(null, "", link.href);
  part.scrollIntoView({ block: "nearest" });
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-into]");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  showBeside(link);
});
for (const grid of document.querySelectorAll("[data-arrows]")) {
  const cell = grid.querySelector("td:has([aria-current])") || grid.querySelector("th.today");
  if (cell) grid.scrollLeft = cell.offsetLeft + 1.5 * cell.offsetWidth - grid.clientWidth;
}
const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
document.addEventListener("keydown", (event) => {
  const cell = event.target.closest("[data-arrows] :is(td, th)");
  const step = steps[event.key];
  if (!cell || !step || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const rows = [...cell.closest("table").rows];
  let [row, column] = [rows.indexOf(cell.closest("tr")), cell.cellIndex];
  let link;
  do {
    [row, column] = [row + step[0], column + step[1]];
    link = rows[row]?.cells[column]?.querySelector("a");
  } while (!link && rows[row]?.cells[column]);
  if (!link) return;
  event.preventDefault();
  link.focus();
});

// Loads the content of `details` when a person opens it. Without this script, a link leads to the content.
const fetchPart = async (folded) => {
  const { fetches: address, part: id } = folded.dataset;
  delete folded.dataset.fetches;
  const headers = { Accept: "text/html", "X-Innkeep-Live": "1" };
  const answer = await fetch(address, { headers }).catch(() => undefined);
  const text = answer?.ok && !answer.redirected ? await answer.text() : "";
  const part = new DOMParser().parseFromString(text, "text/html").getElementById(id);
  // The content could not be loaded. The link stays, and the person can follow it.
  if (!part) return;
  localise(part);
  folded.querySelector("summary ~ *")?.replaceWith(part);
  announce(part.textContent.trim().replace(/\s+/g, " ").slice(0, 120));
};

// `toggle` events do not bubble, so the listener gets them in the capture phase.
document.addEventListener(
  "toggle",
  (/** @type {any} */ { target }) => {
    if (target.open && target.dataset?.fetches) fetchPart(target);
  },
  true,
);
