// Receives the events of changes. One page of the browser has the connection, and sends the events to the other pages.
// The page receives no events if the browser does not offer Web Locks (which need https) or BroadcastChannel. (rule
// F75)
const { events, since, person } = document.documentElement.dataset;
const name = `innkeep-events-${person}`;
const canFollow = events && navigator.locks && window.BroadcastChannel && window.EventSource;

// How many past events the page with the connection keeps for pages that are opened later.
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
  // This page has the lock until it is closed. Then another page gets the lock.
  navigator.locks.request(name, () => {
    open();
    return new Promise(() => {});
  });
};
