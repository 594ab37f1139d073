// Updates the page title and the changed elements with `data-live`. Screen readers read the text in
// `data-news`.
import { announce, replacePart } from "./page.js";

// Receives events about changes. Only one page of the browser is connected to the server and informs the
// others. (rule F75)
const { events, since, person } = document.documentElement.dataset;
const name = `innkeep-events-${person}`;
// If the browser lacks one of these functions, pages are read at intervals. Web Locks need https.
const canFollow = events && navigator.locks && window.BroadcastChannel && window.EventSource;

// The number of past events that the page with the connection keeps for pages that are opened later.
const mostRecent = 100;
const retryMilliseconds = 60_000;

// Calls `hear` with each event. Calls `connected` with true or false when the connection opens or closes.
export const follow = ({ hear, connected }) => {
  if (!canFollow) return;
  const channel = new BroadcastChannel(name);
  const recent = [];
  let source;
  let isConnected = false;
  const take = (message) => {
    if (message.event) hear(message.event);
    else connected(message.connected);
  };
  const tell = (message) => {
    channel.postMessage(message);
    take(message);
  };
  channel.addEventListener("message", ({ data }) => {
    if (data.since === undefined) return take(data);
    if (!source) return;
    channel.postMessage({ connected: isConnected });
    for (const event of recent) if (event.at >= data.since) channel.postMessage({ event });
  });
  channel.postMessage({ since });
  const state = (is) => {
    isConnected = is;
    tell({ connected: is });
  };
  const open = () => {
    source = new EventSource(`${events}?since=${encodeURIComponent(since)}`);
    source.addEventListener("open", () => state(true));
    source.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      recent.push(event);
      if (recent.length > mostRecent) recent.shift();
      tell({ event });
    });
    source.addEventListener("error", () => {
      state(false);
      // The browser connects again automatically, unless the server has refused the connection.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, retryMilliseconds);
    });
  };
  // Only the page with the lock has a connection. When this page is closed, another page gets the lock.
  navigator.locks.request(name, () => {
    open();
    return new Promise(() => {});
  });
};

const idsIn = (address) => new URL(address).pathname.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
// The address of a page contains the id of its app, and then the id of its thread.
const [app, ofPage] = idsIn(location.href);

// Shows a notice if this thread was merged into `address`. Ignores other redirects, such as to the sign-in
// page.
const showMerged = (address) => {
  const notice = document.getElementById("merged-since");
  const [otherApp, other] = idsIn(address);
  if (!notice?.hidden || otherApp !== app || other === undefined || other === ofPage) return;
  notice.hidden = false;
  announce(notice.textContent);
};

const isLive = document.querySelector("main [data-live]") !== null;
// Whether a changed part was not replaced because an element in it has the focus.
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
    // A part with the focus is replaced only if the focus is on one of these elements.
    const isUsed = focused !== undefined && !focused.matches("a[id], .tick input, [data-decides] button");
    if (!next || part.dataset.live === next.dataset.live) continue;
    isLeft ||= isUsed;
    if (isUsed) continue;
    // A part with `data-stale` is not replaced. The element whose id is in `data-stale`, if any, becomes
    // visible.
    if (part.dataset.stale === undefined) {
      const { newest } = part.dataset;
      replacePart(part, next);
      // A conversation is announced only if it has a new message.
      if (next.dataset.news && (newest === undefined || newest !== next.dataset.newest))
        announce(next.dataset.news);
    } else if (part.dataset.stale) document.getElementById(part.dataset.stale).hidden = false;
  }
};

// The page was last read at `last`, and is read next at `due`. A hidden page is read when it becomes visible.
// (rule F75)
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

// Reads the page soon, at most once in the given time. The random delay spreads the requests of many people.
const readWithin = (milliseconds) => {
  const now = performance.now();
  const at = Math.max(now + (Math.random() * milliseconds) / 4, last + milliseconds);
  if (at >= due) return;
  due = at;
  clearTimeout(timer);
  timer = setTimeout(read, at - now);
};

const pace = { thread: 1_000, list: 3_000, counts: 10_000 };

// In the inbox, a thread may be open next to the list.
const beside = document.querySelector("[data-opened]")?.dataset.opened;
const item = ofPage ?? beside;
const hear = ({ kind, appId, threadId }) => {
  if (kind === "everything") readWithin(pace.list);
  else if (item !== undefined && item === threadId) readWithin(pace.thread);
  else if (kind === "answering") return;
  else if (app === undefined || (app === appId && (!ofPage || !threadId))) readWithin(pace.list);
  else readWithin(pace.counts);
};

// Sends forms without loading a page, and updates this page. The element whose id is in `data-then` gets the
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
