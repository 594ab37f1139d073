// Shows notices while no page of the console is open, and opens the page that a notice is about. (rule N10)
import { renewAt } from "./push-fields.js";

const worker = /** @type {any} */ (self);

// A newer worker replaces the old one immediately. This is safe, because the worker answers no requests of pages.
worker.addEventListener("install", () => worker.skipWaiting());

const shownIn = (data) => {
  try {
    return data.json();
  } catch {
    return {};
  }
};
worker.addEventListener("push", (event) => {
  const { title = "Innkeep", body = "", tag = "", url = "" } = shownIn(event.data);
  const shown = worker.registration.showNotification(title, {
    ...{ body, tag, renotify: tag !== "", data: { url } },
  });
  event.waitUntil(shown);
});

// A notice opens only pages of this console.
const pageOf = (url) => {
  const home = worker.registration.scope;
  const page = URL.canParse(url, home) ? new URL(url, home) : new URL(home);
  return page.href.startsWith(home) ? page : new URL(home);
};
const open = async (page) => {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const here = windows.find(({ url }) => url.split("#")[0] === page.href.split("#")[0]);
  if (here === undefined) return worker.clients.openWindow(page.href);
  await here.focus();
  // The open page updates itself. Loading the page again could delete typed text.
  here.postMessage({ hash: page.hash });
};
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(pageOf(event.notification.data?.url ?? "")));
});

// Informs the server that the push service has given this browser another address.
const changeAddress = async ({ oldSubscription: before, newSubscription: given }) => {
  if (!before) return;
  const { pushManager, scope } = worker.registration;
  await renewAt(scope, given ?? (await pushManager.subscribe(before.options)), before.endpoint);
};
worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(changeAddress(event)));
