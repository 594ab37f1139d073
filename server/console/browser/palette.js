// Ctrl+K or the search link opens a dialog for a search. Enter opens the first result, or the search page.
import { announce } from "./page.js";

const link = document.querySelector("[data-search]");
const pauseMilliseconds = 150;

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const createPalette = () => {
  const input = make("input", { type: "search", name: "q", maxLength: 200, autocomplete: "off" });
  input.placeholder = "Search feedback, apps, pages, FAQ, release notes";
  input.setAttribute("aria-label", "Search all your apps");
  const results = make("div", { className: "results" });
  const all = make("a", { className: "all", href: link.href, textContent: "Open the search page" });
  const form = make("form", { method: "get", action: link.href }, input);
  const dialog = make("dialog", { className: "palette" }, form, results, all);
  dialog.setAttribute("aria-label", "Search");
  document.body.append(dialog);

  let shown = "";
  let timer;
  let running;
  const addressOf = (q) => (q === "" ? link.href : `${link.href}?${new URLSearchParams({ q })}`);

  const update = async () => {
    const q = input.value.trim();
    all.href = addressOf(q);
    all.textContent = q === "" ? "Open the search page" : "Show all results";
    if (q === shown) return;
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    if (q === "") {
      shown = q;
      results.replaceChildren();
      return;
    }
    const headers = { Accept: "text/html", "X-Innkeep-Live": "1" };
    const answer = await fetch(addressOf(q), { headers, signal }).catch(() => undefined);
    if (!answer?.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("results");
    if (signal.aborted || !found) return;
    shown = q;
    results.replaceChildren(...found.childNodes);
    const hint = page.querySelector("main p.hint");
    if (hint) results.prepend(hint);
    const count = results.querySelectorAll("a.to").length;
    announce(count === 0 ? "Nothing matches." : `${count} results. Enter opens the first result.`);
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, pauseMilliseconds);
  });
  form.addEventListener("submit", (event) => {
    const first = results.querySelector("a.to");
    if (!first || input.value.trim() !== shown) return;
    event.preventDefault();
    first.click();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [input, ...results.querySelectorAll("a"), all];
    const at = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    stops.at(at % stops.length)?.focus();
  });
  // A click outside of the dialog closes it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return { dialog, input };
};

let palette;
const open = () => {
  palette ??= createPalette();
  if (palette.dialog.open) return;
  palette.dialog.showModal();
  palette.input.select();
};

if (link) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.key.toLowerCase() !== "k" ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return;
    event.preventDefault();
    open();
  });
}
