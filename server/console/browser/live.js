// Updates the parts of an open page that have changed on the server, and the title of the page. It announces the change
// to screen readers. It does not replace a part in which the person types or has opened something. If a link has the
// focus, it keeps the focus.
import { announce, replacePart } from "./page.js";

const isLive = document.querySelector("main [data-live]") !== null;
const refresh = async () => {
  if (document.hidden) return;
  const headers = { Accept: "text/html", "X-Innkeep-Live": "1" };
  const answer = await fetch(location.href, { headers }).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.title = fresh.title;
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    const focused = part.contains(document.activeElement) ? document.activeElement : undefined;
    const link = focused?.matches("a[id]") ? focused.id : undefined;
    if (!next || (focused && !link) || part.dataset.live === next.dataset.live) continue;
    if (part.dataset.stale === undefined) {
      replacePart(part, next);
      if (next.dataset.news) announce(next.dataset.news);
    } else document.getElementById(part.dataset.stale).hidden = false;
  }
};
if (isLive) setInterval(refresh, 20_000);
