// The form of a release note.
import { announce, zoned } from "./page.js";

// The field for the threads that a release note fixes. Typed words search for threads.
/** @type {any} */
const part = document.querySelector("[data-picks-threads]");
const pauseMilliseconds = 200;
const mostShown = 8;

const createSuggestions = (field) => {
  const list = document.createElement("ul");
  Object.assign(list, { id: "threads-found", className: "suggestions", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Threads");
  field.after(list);
  for (const [name, value] of [
    ["role", "combobox"],
    ["aria-controls", list.id],
    ["aria-expanded", "false"],
    ["aria-autocomplete", "list"],
  ])
    field.setAttribute(name, value);
  let at = -1;
  const show = (isShown) => {
    list.hidden = !isShown;
    field.setAttribute("aria-expanded", String(isShown));
  };
  const mark = (next) => {
    at = next;
    for (const [index, option] of [...list.children].entries())
      option.setAttribute("aria-selected", String(index === at));
    if (at < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", `thread-found-${at}`);
  };
  const close = () => {
    list.replaceChildren();
    mark(-1);
    show(false);
  };
  const fill = (threads, choose) => {
    list.replaceChildren(
      ...threads.map(({ name, subject }, index) => {
        const option = document.createElement("li");
        option.id = `thread-found-${index}`;
        option.setAttribute("role", "option");
        option.textContent = `${name.length < 12 ? `${name} ` : ""}${subject}`;
        // `preventDefault` keeps the focus in the field.
        option.addEventListener("mousedown", (event) => event.preventDefault());
        option.addEventListener("click", () => choose(name));
        return option;
      }),
    );
    mark(-1);
    show(threads.length > 0);
    if (threads.length > 0) announce(`${threads.length} threads. Use the arrow keys, then Enter.`);
  };
  const move = (step) => {
    const { length } = list.children;
    mark(at < 0 && step < 0 ? length - 1 : (at + step + length) % length);
  };
  const chosen = () => /** @type {any} */ (list.children[at]);
  return { list, close, fill, move, chosen };
};

// Returns the search text after the last comma or semicolon. Empty for the number, id or address of a thread.
const typedWords = (text) => {
  const words = text.split(/[,;]/).at(-1).trim();
  return words.length > 1 && /\p{L}/u.test(words) && !/^#|^https?:|^[\da-f-]{36}$/i.test(words) ? words : "";
};

const threadsIn = (page) =>
  [...page.querySelectorAll("#results li")].flatMap((line) => {
    const link = line.querySelector("a.to");
    const id = link?.getAttribute("href")?.split(part.dataset.app)[1];
    const [, number] = /#(\d+)/.exec(line.querySelector(".under")?.textContent ?? "") ?? [];
    return id ? [{ name: number ? `#${number}` : id, subject: link.textContent }] : [];
  });

if (part) {
  const field = part.querySelector("input[name=fixes]");
  const suggestions = createSuggestions(field);
  const put = (text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const choose = (name) => {
    const before = field.value
      .split(/[,;]/)
      .slice(0, -1)
      .map((word) => word.trim());
    suggestions.close();
    put(`${[...before, name].join(", ")}, `);
  };
  let timer;
  let asked = 0;
  const find = async (words) => {
    asked += 1;
    const own = asked;
    const address = `${part.dataset.picksThreads}?${new URLSearchParams({ q: words })}`;
    const headers = { Accept: "text/html", "X-Innkeep-Live": "1" };
    const answer = await fetch(address, { headers }).catch(() => undefined);
    if (!answer?.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (own === asked) suggestions.fill(threadsIn(page).slice(0, mostShown), choose);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    asked += 1;
    const words = typedWords(field.value);
    if (words === "") return suggestions.close();
    timer = setTimeout(() => find(words), pauseMilliseconds);
  });
  field.addEventListener("blur", suggestions.close);
  field.addEventListener("keydown", (event) => {
    if (suggestions.list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) suggestions.move(step);
    else if (event.key === "Escape") suggestions.close();
    else if (event.key === "Enter" && suggestions.chosen()) suggestions.chosen().click();
    else return;
    event.preventDefault();
  });
  const showButtons = () => {
    for (const button of part.querySelectorAll("button[data-unnames]")) button.hidden = false;
  };
  showButtons();
  part.closest("form").addEventListener("refreshed", showButtons);
  part.addEventListener("click", (event) => {
    const names = event.target.closest("button[data-unnames]")?.dataset.unnames?.split(" ");
    if (!names) return;
    field.focus();
    const words = field.value.split(/[\s,;]+/).filter((word) => word !== "");
    const isRemoved = (word) =>
      names.some((name) => name === `#${word}` || word.toLowerCase().endsWith(name));
    put(words.filter((word) => !isRemoved(word)).join(", "));
    announce(`${names[0]} is removed.`);
  });
}

// The code below adds lines to the form, and shows the publication time in the browser's time zone.
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
// A draft with a publication time is published at that time. So the button that saves the draft says
// "Schedule".
const showSchedule = (field, button) => {
  const words = button.textContent;
  const show = () => {
    button.textContent = field.value === "" ? words : button.dataset.scheduled;
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
    // If the browser has restored a value that the person typed, this value is already in the browser's time zone.
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
  const button = form.querySelector("button[data-scheduled]");
  if (button) showSchedule(field, button);
}
