// Updates the parts of an open page that have changed on the server, and the title of the page. It announces the change
// to screen readers. It does not replace a part in which the person types or has opened something, nor one with
// `data-stale`: that shows the element with this id instead. If a link has the focus, the link in the new part gets the
// focus.
import { follow } from "./events.js";
import { announce, replacePart } from "./page.js";

const idsIn = (address) => new URL(address).pathname.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
// The address of a page contains the id of its app, and then that of its thread.
const [app, ofPage] = idsIn(location.href);

// The page of a merged thread leads to the other thread. Other pages, such as that for signing in, are not shown.
const showMerged = (address) => {
  const notice = document.getElementById("merged-since");
  const [otherApp, other] = idsIn(address);
  if (!notice?.hidden || otherApp !== app || other === undefined || other === ofPage) return;
  notice.hidden = false;
  announce(notice.textContent);
};

const isLive = document.querySelector("main [data-live]") !== null;
// Whether a part was not replaced, because the person uses it.
let isLeft = false;
const refresh = async () => {
  const headers = { Accept: "text/html", "X-Innkeep-Live": "1" };
  const answer = await fetch(location.href, { headers }).catch(() => undefined);
  if (!answer?.ok) return;
  if (answer.redirected) return showMerged(answer.url);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.title = fresh.title;
  isLeft = false;
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    const focused = part.contains(document.activeElement) ? document.activeElement : undefined;
    const link = focused?.matches("a[id], .tick input") ? focused.id : undefined;
    if (!next || part.dataset.live === next.dataset.live) continue;
    isLeft ||= focused !== undefined && !link;
    if (focused && !link) continue;
    if (part.dataset.stale === undefined) {
      replacePart(part, next);
      if (next.dataset.news) announce(next.dataset.news);
    } else if (part.dataset.stale) document.getElementById(part.dataset.stale).hidden = false;
  }
};

// `due` is the time at which the page is read again. A hidden page is read when it is shown. (rule F75)
let last = Number.NEGATIVE_INFINITY;
let due = Number.POSITIVE_INFINITY;
let timer;
let isReading = false;
let isStale = false;
const read = async () => {
  due = Number.POSITIVE_INFINITY;
  isStale = document.hidden;
  if (isStale) return;
  if (isReading) return readWithin(1_000);
  isReading = true;
  last = performance.now();
  await refresh().finally(() => {
    isReading = false;
  });
};

// Reads the page within this time, and at most once in it. The time is random, so that the pages of many people are not
// read at the same time.
const readWithin = (milliseconds) => {
  const now = performance.now();
  const at = Math.max(now + (Math.random() * milliseconds) / 4, last + milliseconds);
  if (at >= due) return;
  due = at;
  clearTimeout(timer);
  timer = setTimeout(read, at - now);
};

const pace = { thread: 1_000, list: 3_000, counts: 10_000 };

// A thread may be open beside its list.
const beside = document.querySelector("[data-opened]")?.dataset.opened;
const item = ofPage ?? beside;
const hear = ({ kind, appId, threadId }) => {
  if (kind === "everything") readWithin(pace.list);
  else if (item !== undefined && item === threadId) readWithin(pace.thread);
  else if (kind === "answering") return;
  else if (app === undefined || (app === appId && (!ofPage || !threadId))) readWithin(pace.list);
  else readWithin(pace.counts);
};

// Some forms are sent without a new page. The parts that such a form changes are read again, and one of them gets the
// focus.
for (const form of document.querySelectorAll("form[data-then]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    button.blur();
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const body = new URLSearchParams(fields);
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => undefined);
    if (!answer?.ok) return form.submit();
    const { then } = form.dataset;
    await refresh();
    document.getElementById(then)?.focus();
  });
}

if (isLive) {
  let isConnected = false;
  let ticks = 0;
  const connected = (is) => {
    isConnected = is;
  };
  follow({ hear, connected });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && isStale) readWithin(0);
  });
  setInterval(() => {
    ticks += 1;
    if (!isConnected || isLeft || ticks % 3 === 0) read();
  }, 20_000);
}
