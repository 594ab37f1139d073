// Loads the content of a folded part when a person opens the part. Without this script, a link in the part leads to the
// page that has the content.
import { announce, localise } from "./page.js";

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
