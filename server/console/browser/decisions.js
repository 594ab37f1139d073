// The keys with which a person decides on the proposal of a thread. Approve and Reject first ask for a confirmation.
// (rules A55 and O32)
import { addKeys } from "./keys.js";

const bar = () => /** @type {any} */ (document.querySelector(".decision-bar"));
const isHere = () => bar() !== null;

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const ask = (decision, question) => {
  const button = bar().querySelector(`button[value=${decision}]`);
  const title = make("h2", { id: "decide-title", textContent: question });
  const subject = make("p", { textContent: document.querySelector("h1")?.textContent.trim() ?? "" });
  const yes = make("button", {
    type: "button",
    className: button.className,
    textContent: button.textContent,
  });
  const no = make("button", { type: "button", textContent: "Cancel" });
  const dialog = make(
    "dialog",
    { className: "question" },
    title,
    subject,
    make("div", { className: "actions" }, yes, no),
  );
  dialog.setAttribute("aria-labelledby", title.id);
  yes.addEventListener("click", () => {
    dialog.close();
    button.click();
  });
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  yes.focus();
};

const writeNote = () => {
  const note = /** @type {any} */ (document.querySelector(".proposal .decide textarea"));
  // After this key, Ctrl+Enter asks for the changes.
  note.onkeydown = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    bar().querySelector("button[value=request_changes]").click();
  };
  note.scrollIntoView({ block: "center" });
  note.focus({ preventScroll: true });
};

addKeys("Proposal", [
  {
    key: "A",
    words: "Approve the plan, after a confirmation",
    act: () => ask("approve", "Approve this plan?"),
    isHere,
  },
  { key: "C", words: "Write what to change", act: writeNote, isHere },
  { key: "R", words: "Reject, after a confirmation", act: () => ask("reject", "Reject this plan?"), isHere },
]);
