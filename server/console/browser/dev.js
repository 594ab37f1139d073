// The page of the development server. Adds new requests each second. Parts that a person has opened stay open.
import { localise } from "./page.js";

const merge = (part, next) => {
  const wanted = new Set([...next.children].map(({ id }) => id));
  for (const child of [...part.children]) if (!wanted.has(child.id)) child.remove();
  let before = part.firstElementChild;
  for (const child of [...next.children]) {
    const known = document.getElementById(child.id);
    if (known) before = known.nextElementSibling;
    else part.insertBefore(child, before);
  }
};
const update = async () => {
  if (document.hidden) return;
  const answer = await fetch("/dev", { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  localise(fresh);
  for (const part of document.querySelectorAll("[data-part]")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    if (part.dataset.part === "list" && next.dataset.part === "list") merge(part, next);
    else if (part.dataset.version !== next.dataset.version && !part.contains(document.activeElement))
      part.replaceWith(next);
  }
};
setInterval(update, 1_000);
