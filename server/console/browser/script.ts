import { draftOffers } from "./draft-offers.ts";
import { draftServer } from "./draft-server.ts";
import { drafts } from "./drafts.ts";
import { faqs } from "./faqs.ts";
import { live } from "./live.ts";
import { passkeys } from "./passkeys.ts";
import { savedReplies } from "./saved-replies.ts";

/** The script of every page. Every page works without it. */
export const script = `
"use strict";
// Times in the reader's time zone, in the server's format.
const zoned = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
const zonedDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const localise = (root) => {
  for (const time of root.querySelectorAll("time[datetime]:not([data-fixed])")) {
    const at = new Date(time.dateTime);
    if (!time.hasAttribute("data-relative")) time.textContent = zoned.format(at);
    else time.title = zoned.format(at);
    if (time.dataset.relative === "day") time.textContent = zonedDay.format(at);
  }
};
localise(document);

// Makes screen readers read a message. A new element is read even if its text is the same as before.
const announce = (words) => {
  const line = document.createElement("p");
  line.textContent = words;
  document.getElementById("announced").replaceChildren(line);
};

// The result of a form is shown once, not again when the page is reloaded.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

// Menus close on a click elsewhere and on Escape.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest("details.menu[open]");
  closeMenus();
  if (menu) menu.querySelector("summary").focus();
});

// The details of a grid's cell appear beside the grid. Arrow keys move from cell to cell.
let wanted;
const showBeside = async (link) => {
  wanted = link;
  const answer = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (wanted !== link) return;
  const text = answer && answer.ok && !answer.redirected ? await answer.text() : "";
  const next = new DOMParser().parseFromString(text, "text/html").getElementById(link.dataset.into);
  if (!next) return location.assign(link.href);
  const part = document.getElementById(link.dataset.into);
  localise(next);
  part.replaceChildren(...next.childNodes);
  for (const other of document.querySelectorAll("a[data-into][aria-current]")) other.removeAttribute("aria-current");
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
  let [row, column] = [rows.indexOf(cell.parentElement), cell.cellIndex];
  let link;
  do {
    [row, column] = [row + step[0], column + step[1]];
    link = rows[row]?.cells[column]?.querySelector("a");
  } while (!link && rows[row]?.cells[column]);
  if (!link) return;
  event.preventDefault();
  link.focus();
});

// The print button, and the reader's own time zone.
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

// Buttons that copy a secret.
for (const button of document.querySelectorAll("button[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copies);
    source.select();
    await navigator.clipboard.writeText(source.value);
    button.textContent = "Copied";
    announce("Copied.");
  });
}

{
${drafts}
${draftServer}
${draftOffers}
}
${faqs}
${passkeys}
${savedReplies}
${live}`;
