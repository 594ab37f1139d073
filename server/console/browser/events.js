// Receives the events of changes. One page of the browser has the connection, and passes the events on to the other
// pages. Without locks or channels, which browsers have only over https, there are no events. (rule F75)
const { events, since, person } = document.documentElement.dataset;
const name = `innkeep-events-${person}`;
const canFollow = events && navigator.locks && window.BroadcastChannel && window.EventSource;

// The number of past events that the page with the connection keeps for newly opened pages.
const mostRecent = 100;
const retryMilliseconds = 60_000;

// Calls `hear` with each event, and `connected` with whether there is a connection.
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
      // The browser connects again by itself, unless the server has refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, retryMilliseconds);
    });
  };
  // The lock is held until the page is closed. Then another page gets it.
  navigator.locks.request(name, () => {
    open();
    return new Promise(() => {});
  });
};
