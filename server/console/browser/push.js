// Turns push notices in this browser on and off, and renews the subscription after a sign-in. (rule N10)
import { person, store, stored } from "./draft-store.js";
import { announce } from "./page.js";
import { fieldsOf, renewAt, textFor } from "./push-fields.js";

const name = "innkeep-notices";
const renewedFor = 12 * 3_600_000;

const fault = () => {
  if (!window.isSecureContext) return "insecure";
  if (!navigator.serviceWorker || !window.PushManager || !window.Notification) return "missing";
  return Notification.permission === "denied" ? "blocked" : undefined;
};
const bytesIn = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const keep = (endpoint) => store(name, JSON.stringify({ person, endpoint, at: Date.now() }));
// Searches all registrations, because a start page without a final slash is outside the scope of the service
// worker.
const findWorker = async () => {
  const all = await navigator.serviceWorker.getRegistrations();
  return all.find(({ active }) => active?.scriptURL.endsWith("/push-worker.js"));
};

for (const form of document.querySelectorAll("form[data-push]")) {
  const button = form.querySelector("button[data-subscribes]");
  const tell = (found) => {
    button.hidden = found !== undefined && !["failed", "dismissed"].includes(found);
    for (const line of form.querySelectorAll("[data-push-fault]"))
      line.hidden = line.dataset.pushFault !== found;
  };
  // Shows why notices could not be turned on. Screen readers read the reason.
  const refuse = (found) => {
    tell(found);
    const line = form.querySelector("[data-push-fault]:not([hidden])");
    if (line) announce(line.textContent);
  };
  const subscribe = async () => {
    const key = form.dataset.push;
    await navigator.serviceWorker.register(form.dataset.worker);
    const { pushManager } = await navigator.serviceWorker.ready;
    const before = await pushManager.getSubscription();
    // A subscription is bound to one key of the server. A new key needs a new subscription.
    if (before && textFor(before.options.applicationServerKey) !== key) await before.unsubscribe();
    const wanted = { userVisibleOnly: true, applicationServerKey: bytesIn(key) };
    return fieldsOf(await pushManager.subscribe(wanted));
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if ((await Notification.requestPermission()) !== "granted") return refuse(fault() ?? "dismissed");
      const fields = await subscribe();
      for (const [field, value] of Object.entries(fields))
        form.querySelector(`[name=${field}]`).value = value;
      keep(fields.endpoint);
      form.submit();
    } catch {
      refuse("failed");
    } finally {
      button.disabled = false;
    }
  });
  const isOn = async () => {
    if (form.dataset.on === undefined) return false;
    const worker = await findWorker();
    return Boolean(await worker?.pushManager.getSubscription());
  };
  const found = fault();
  if (found) tell(found);
  else
    isOn().then((is) => {
      button.hidden = is;
    });
}

for (const form of document.querySelectorAll("form[data-push-off]"))
  form.addEventListener("submit", async () => {
    store(name, null);
    await (await (await findWorker())?.pushManager.getSubscription())?.unsubscribe();
  });

// Sends the subscription again, because a new session needs the subscription, and because the push service may
// have changed its address.
const renew = async () => {
  const known = stored(name);
  if (known === null || fault()) return;
  // Nobody is signed in. `at: 0` makes the first page after the next sign-in renew the subscription.
  if (!person) return store(name, JSON.stringify({ ...known, at: 0 }));
  if (known.person !== person || Date.now() - known.at < renewedFor) return;
  const worker = await findWorker();
  const subscription = await worker?.pushManager.getSubscription();
  if (!subscription) return;
  for (const replaces of new Set([subscription.endpoint, known.endpoint])) {
    const answer = await renewAt(worker.scope, subscription, replaces);
    if (answer.type === "opaqueredirect") return keep(subscription.endpoint);
    if (answer.status !== 404) return;
  }
  // The server has no subscription of this browser, for example because the person turned off its notices
  // in another browser.
  store(name, null);
  await subscription.unsubscribe();
};
renew().catch(() => undefined);

// The worker sends this message when a person clicks a notice about a part of this page.
navigator.serviceWorker?.addEventListener("message", ({ data: { hash } }) => {
  if (!hash) return;
  location.hash = hash;
  document.getElementById(hash.slice(1))?.scrollIntoView();
});
navigator.serviceWorker?.startMessages();
