// The functions that send a push subscription to the server. The pages and the service worker use them.
export const textFor = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
export const fieldsOf = (subscription) => ({
  endpoint: subscription.endpoint,
  p256dh: textFor(subscription.getKey("p256dh")),
  auth: textFor(subscription.getKey("auth")),
});

// Sends this browser's push address and keys to the server. `scope` is the console's address, `replaces` the
// stored push address.
export const renewAt = (scope, subscription, replaces) =>
  fetch(`${scope}account/notices/browsers`, {
    method: "POST",
    body: new URLSearchParams({ ...fieldsOf(subscription), replaces, once: crypto.randomUUID() }),
    redirect: "manual",
  });
