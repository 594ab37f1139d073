// The fields of a push subscription that are sent to the server. The page and the worker use this file.
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

// Sends the present address and keys of this browser to the server. `scope` is the address of the console.
export const renewAt = (scope, subscription, replaces) =>
  fetch(`${scope}account/notices/browsers`, {
    method: "POST",
    body: new URLSearchParams({ ...fieldsOf(subscription), replaces, once: crypto.randomUUID() }),
    redirect: "manual",
  });
