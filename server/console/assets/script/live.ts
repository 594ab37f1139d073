/** Updates the parts of an open page that have changed on the server, and announces the change. */
export const live = `
const live = document.querySelectorAll("[data-live]");
const refresh = async () => {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (!answer || !answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next || part.contains(document.activeElement) || part.dataset.live === next.dataset.live) continue;
    if (part.dataset.stale === undefined) {
      localise(next);
      const at = part.querySelector("[data-arrows]")?.scrollLeft;
      part.replaceWith(next);
      if (at) next.querySelector("[data-arrows]").scrollLeft = at;
      if (next.dataset.news) announce(next.dataset.news);
    } else document.getElementById(part.dataset.stale).hidden = false;
  }
};
if (live.length > 0) setInterval(refresh, 20_000);
`;
