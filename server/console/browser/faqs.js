// Moves FAQ entries without loading a page. The scroll position and the focus do not change.
import { announce, localise } from "./page.js";

const order = document.querySelector("form[data-moves]");
// The Tab key reaches the two arrows of an entry only once. The arrow keys move between the two.
const oneStopEach = () => {
  for (const bar of order.querySelectorAll("[role=toolbar]")) {
    const [first, ...rest] = bar.querySelectorAll("button:enabled");
    if (first) first.tabIndex = 0;
    for (const button of rest) button.tabIndex = -1;
  }
};
const showOrder = (fresh, move) => {
  order.replaceChildren(...fresh.childNodes);
  localise(order);
  oneStopEach();
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
  if (!answer.ok || !fresh) throw new Error("The answer is not the list.");
  const entry = showOrder(fresh, move);
  const places = [...order.querySelectorAll("li")];
  announce(
    new URL(answer.url).searchParams.get("done") === "moved"
      ? `Moved to place ${places.indexOf(entry) + 1} of ${places.length}.`
      : "The list had changed, so nothing was moved. It is shown as it is now.",
  );
};
// The keys that move the entry whose buttons have the focus.
const keys = { ArrowUp: "up", ArrowDown: "down" };
const ends = { Home: "top", End: "bottom" };
const sendWithoutScript = (move) => {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "move", value: move });
  order.append(field);
  order.submit();
};
if (order) {
  oneStopEach();
  // The moves are sent one after the other, because each needs the list that the previous move produced.
  let moves = Promise.resolve();
  order.addEventListener("submit", (event) => {
    if (!event.submitter) return;
    event.preventDefault();
    const move = event.submitter.getAttribute("value");
    moves = moves.then(() => sendMove(move)).catch(() => sendWithoutScript(move));
  });
  order.addEventListener("keydown", (event) => {
    const buttons = [...(event.target.closest("[role=toolbar]")?.querySelectorAll("button:enabled") || [])];
    const direction = (event.altKey && keys[event.key]) || ends[event.key];
    const wanted = direction && buttons.find((one) => one.getAttribute("value").endsWith(` ${direction}`));
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
