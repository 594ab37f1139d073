// Moves FAQ entries without loading a page. The scroll position and the focus do not change.
import { announce, localise } from "./page.js";

const order = document.querySelector("form[data-moves]");
// The Tab key stops at one button of each entry. The arrow keys move between the buttons of an entry.
const oneStopEach = () => {
  for (const bar of order.querySelectorAll("[role=toolbar]")) {
    const [first, ...rest] = bar.querySelectorAll("button:enabled");
    if (first) first.tabIndex = 0;
    for (const button of rest) button.tabIndex = -1;
  }
};
// The index of the first entry of this page in the whole list.
const firstPlace = () => Number(order.querySelector("ol").getAttribute("start")) - 1;
const showOrder = (fresh, move) => {
  order.replaceChildren(...fresh.childNodes);
  localise(order);
  oneStopEach();
  addHandles();
  const [id] = move.split(" ");
  const entry = document.getElementById(`faq-${id}`);
  const buttons = entry ? [...entry.querySelectorAll("button:enabled")] : [];
  const button = buttons.find(({ value }) => value === move) || buttons[0];
  button?.focus({ preventScroll: true });
  button?.scrollIntoView({ block: "nearest" });
  return entry;
};
const sendMove = async (move) => {
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(order)));
  fields.set("move", move);
  const answer = await fetch(order.action, {
    method: "POST",
    body: fields,
    headers: { Accept: "text/html" },
  });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("form[data-moves]");
  if (!answer.ok || !fresh) throw new Error("The answer does not contain the list.");
  const entry = showOrder(fresh, move);
  const shown = new URL(answer.url);
  const at = shown.searchParams.get("at");
  // If the entry moved to another page of the list, the answer's address has the id of the entry.
  if (at) history.replaceState(history.state, "", `${shown.pathname}?at=${at}`);
  const places = [...order.querySelectorAll("li")];
  announce(
    shown.searchParams.get("done") === "moved"
      ? `Moved to position ${firstPlace() + places.indexOf(entry) + 1} of ${order.querySelector("ol").dataset.all}.`
      : "The list had changed, so nothing was moved. The page now shows the new list.",
  );
};
// With Alt, these keys move the focused entry. On a button of the entry, Home and End need no Alt.
const keys = { ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom" };
const ends = { Home: "top", End: "bottom" };
const sendWithoutScript = (move) => {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "move", value: move });
  order.append(field);
  order.submit();
};
// Each entry gets a handle, by which a person can drag it with a mouse, a finger or a pen.
const addHandles = () => {
  for (const entry of order.querySelectorAll("li.faq:has([role=toolbar])")) {
    const handle = document.createElement("span");
    handle.className = "handle over";
    handle.textContent = "⠿";
    handle.setAttribute("aria-hidden", "true");
    handle.title = "Drag to another position";
    entry.prepend(handle);
  }
};
const edgePixels = 60;
const dragFrom = (down, entry, handle) => {
  const places = [...order.querySelectorAll("li.faq")];
  const from = places.indexOf(entry);
  let to = from;
  const mark = () => {
    for (const [at, place] of places.entries()) {
      place.classList.toggle("drop-before", at === to && to < from);
      place.classList.toggle("drop-after", at === to && to > from);
    }
  };
  const move = ({ clientY }) => {
    const found = places.findIndex((place) => clientY < place.getBoundingClientRect().bottom);
    to = found < 0 ? places.length - 1 : found;
    mark();
    if (clientY < edgePixels) scrollBy(0, -12);
    if (clientY > innerHeight - edgePixels) scrollBy(0, 12);
  };
  const end = (isDropped) => {
    handle.removeEventListener("pointermove", move);
    handle.onpointerup = handle.onpointercancel = document.onkeydown = null;
    entry.classList.remove("dragged");
    if (!isDropped) to = from;
    const place = to;
    to = -1;
    mark();
    if (place !== from) queueMove(`${entry.id.replace("faq-", "")} to ${firstPlace() + place}`);
  };
  entry.classList.add("dragged");
  handle.setPointerCapture(down.pointerId);
  handle.addEventListener("pointermove", move);
  handle.onpointerup = () => end(true);
  handle.onpointercancel = () => end(false);
  document.onkeydown = ({ key }) => key === "Escape" && end(false);
};
// The moves are sent one after the other, because each needs the list that the previous move produced.
let moves = Promise.resolve();
const queueMove = (move) => {
  moves = moves.then(() => sendMove(move)).catch(() => sendWithoutScript(move));
};
// Filters the list while a person types. Without this script, the person clicks the search button.
const filter = document.querySelector("input[data-filters=faqs]");
// A letter with an accent has several forms in Unicode. This function makes these forms equal.
const comparable = (text) => text.toLowerCase().normalize("NFC");
const filterList = () => {
  const words = comparable(/** @type {any} */ (filter).value).split(/\s+/);
  const entries = [...document.querySelectorAll("li.faq")];
  for (const entry of entries)
    entry.hidden = !words.every((word) => comparable(entry.querySelector(".to").textContent).includes(word));
  const shown = entries.filter(({ hidden }) => !hidden).length;
  document.getElementById("faqs-count").textContent =
    shown === entries.length ? `${shown} entries` : `${shown} of ${entries.length} entries`;
};
if (filter?.value === "" && document.querySelector("ol.short")) filter.addEventListener("input", filterList);
if (order) {
  oneStopEach();
  addHandles();
  document.getElementById("move-hint")?.removeAttribute("hidden");
  order.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    dragFrom(event, handle.closest("li"), handle);
  });
  order.addEventListener("submit", (event) => {
    if (!event.submitter) return;
    event.preventDefault();
    queueMove(event.submitter.getAttribute("value"));
  });
  order.addEventListener("keydown", (event) => {
    const buttons = [...(event.target.closest("[role=toolbar]")?.querySelectorAll("button:enabled") || [])];
    const direction = event.altKey ? keys[event.key] : buttons.length > 0 && ends[event.key];
    const ofEntry = [...(event.target.closest("li.faq")?.querySelectorAll("button:enabled") || [])];
    const wanted = direction && ofEntry.find((one) => one.getAttribute("value").endsWith(` ${direction}`));
    if (wanted) {
      event.preventDefault();
      wanted.click();
      return;
    }
    if (event.altKey || !/^Arrow/.test(event.key) || buttons.length < 2) return;
    event.preventDefault();
    const step = /Up|Left/.test(event.key) ? -1 : 1;
    buttons.at((buttons.indexOf(event.target.closest("button")) + step) % buttons.length).focus();
  });
}
