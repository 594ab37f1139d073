import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../support/browser/axe.ts";
import type { TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { withBrowser } from "../../support/browser/with-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { makeNoticedApp, type NoticedMember, passTime } from "../../support/mail/noticed-app.ts";
import { makeSubscriber, type PushService, startPushService } from "../../support/network/push-service.ts";
import type { Service } from "../../support/service/service.ts";
import { propose } from "../../support/worlds/app-with-owner-and-agent.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
const notices = "/console/account/notices";
const turnOn = { name: "Turn on in this browser" };

/** The data for the replacement of the browser's push service. It must be plain data. */
interface StandIn {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly allowed: boolean;
}

/**
 * Replaces the parts of a browser that a headless one does not have: the question for permission, and the subscription
 * at a push service. The worker is a real one.
 */
function standIn({ endpoint, p256dh, auth, allowed }: StandIn) {
  const bytes = (text: string) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const kept = {
    get: () => localStorage.getItem("stand-in"),
    set: (key: string | null) =>
      key === null ? localStorage.removeItem("stand-in") : localStorage.setItem("stand-in", key),
  };
  const state = () => (kept.get() === null ? "default" : "granted");
  Object.defineProperty(Notification, "permission", { get: () => (allowed ? state() : "denied") });
  Notification.requestPermission = async () => (allowed ? "granted" : "denied");
  const subscription = (key: string) => ({
    endpoint,
    options: { applicationServerKey: bytes(key).buffer },
    getKey: (name: string) => bytes(name === "auth" ? auth : p256dh).buffer,
    unsubscribe: async () => {
      kept.set(null);
      return true;
    },
  });
  const made: object = {
    getSubscription: async () => {
      const key = kept.get();
      return key === null ? null : subscription(key);
    },
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: Uint8Array }) => {
      const text = btoa(String.fromCharCode(...key));
      kept.set(text);
      return subscription(text);
    },
  };
  Object.assign(PushManager.prototype, made);
}

describe("notices in a browser", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser(
    (started) => {
      ({ service, browser } = started);
    },
    { settings: { dev: true } },
  );

  const open = async (
    member: NoticedMember,
    push: PushService,
    { allowed = true, ...options }: BrowserContextOptions & { readonly allowed?: boolean } = {},
  ) => {
    const subscriber = makeSubscriber(push);
    const page = await openPage(browser, service, member.headers, { reducedMotion: "reduce", ...options });
    await page.addInitScript(standIn, { ...subscriber.subscription, allowed });
    const refused: string[] = [];
    page.on("console", (message) => refused.push(message.text()));
    page.on("pageerror", (error) => refused.push(String(error)));
    return { page, subscriber, refused };
  };

  const expectNoFaults = async (page: Page) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await loadAxe(page);
      expect(await axeFaults(page)).toEqual([]);
    }
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWide).toBe(false);
  };

  it("can be turned on and off on the page of notices", async () => {
    const { owner } = await makeNoticedApp(service);
    const { page, refused } = await open(owner, await startPushService(), phone);
    await page.goto(notices);
    await page.getByRole("button", turnOn).click();
    await page.getByText("This browser shows your notices from now on.").waitFor();
    await page.getByText("this browser", { exact: true }).waitFor();
    expect(await page.getByRole("button", turnOn).isVisible()).toBe(false);
    await expectNoFaults(page);
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
    expect(scope).toBe(`${service.baseUrl}/console/`);
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("That browser no longer shows your notices.").waitFor();
    await page.getByRole("button", turnOn).waitFor();
    expect(refused).toEqual([]);
    await page.context().close();
  });

  it("are offered again after the browser has lost its worker", async () => {
    const { owner } = await makeNoticedApp(service);
    const { page } = await open(owner, await startPushService());
    await page.goto(notices);
    await page.getByRole("button", turnOn).click();
    await page.getByText("this browser", { exact: true }).waitFor();
    await page.evaluate(async () => {
      for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
    });
    await page.goto(notices);
    await page.getByRole("button", turnOn).click();
    await page.getByText("This browser shows your notices from now on.").waitFor();
    expect(await page.getByRole("button", turnOn).isVisible()).toBe(false);
    await page.context().close();
  });

  it("are not offered if the browser blocks them", async () => {
    const { owner } = await makeNoticedApp(service);
    const { page } = await open(owner, await startPushService(), { allowed: false });
    await page.goto(notices);
    await page.getByText("This browser blocks notices from this site.").waitFor();
    expect(await page.getByRole("button", turnOn).isVisible()).toBe(false);
    await expectNoFaults(page);
    await page.context().close();
  });

  it("continue after the person has signed in again, unless the person turned them off in another browser", async () => {
    const { owner } = await makeNoticedApp(service);
    const { page } = await open(owner, await startPushService());
    await page.goto(notices);
    await page.getByRole("button", turnOn).click();
    await page.getByText("this browser", { exact: true }).waitFor();
    const listed = async (member: NoticedMember) =>
      Object((await member.call("GET", "/me/notices/browsers")).body).items;
    const signInAgain = async () => {
      await page.context().clearCookies();
      await page.goto("/console/sign-in");
      const headers = await service.signIn(owner);
      const [name = "", value = ""] = headers.cookie.split("=");
      await page.context().addCookies([{ name, value, url: service.baseUrl }]);
      const call: NoticedMember["call"] = (method, path, body) =>
        service.request(method, `/api/v1/console${path}`, { headers, body });
      const done = page.waitForResponse((answer) => answer.url().endsWith("/notices/browsers"));
      await page.goto("/console");
      await done;
      return { ...owner, headers, call };
    };
    await passTime(service, 31 * 86_400_000);
    const again = await signInAgain();
    await eventually(async () => expect(await listed(again)).toMatchObject([{ current: true }]));
    const [{ id }] = await listed(again);
    await again.call("DELETE", `/me/notices/browsers/${id}`);
    await passTime(service, 31 * 86_400_000);
    const last = await signInAgain();
    await eventually(async () =>
      expect(await page.evaluate(() => localStorage.getItem("stand-in"))).toBeNull(),
    );
    expect(await listed(last)).toEqual([]);
    await page.goto(notices);
    await page.getByRole("button", turnOn).waitFor();
    await page.context().close();
  });

  /** A browser of a maintainer with the real worker, which records what it would show and open. */
  async function openWithWorker() {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const { page, subscriber } = await open(kim, push, phone);
    await page.goto(notices);
    const session = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [found] }) => {
        if (found) resolve(found.registrationId);
      });
    });
    await session.send("ServiceWorker.enable");
    await page.getByRole("button", turnOn).click();
    await page.getByText("this browser", { exact: true }).waitFor();
    const registrationId = await registered;
    const [worker] = page.context().serviceWorkers();
    if (worker === undefined) throw new Error("There is no worker.");
    // A headless browser shows no notices, and a simulated click may open no window.
    await worker.evaluate(() => {
      const scope = Object(globalThis);
      scope.shown = [];
      scope.opened = [];
      scope.registration.showNotification = async (title: string, options: object) => {
        scope.shown.push({ title, ...options });
      };
      scope.clients.openWindow = async (url: string) => {
        scope.opened.push(url);
      };
      scope.WindowClient.prototype.focus = async function (this: { url: string }) {
        scope.opened.push(`focused ${this.url}`);
      };
    });
    const noted = () =>
      worker.evaluate(() => {
        const { shown, opened } = Object(globalThis);
        return { shown, opened };
      });
    /** Passes the last message of the push service to the worker. */
    const deliver = async (count: number) => {
      await eventually(() => expect(push.received).toHaveLength(count));
      const [received] = push.received.slice(-1);
      const data = JSON.stringify(received && subscriber.read(received));
      await session.send("ServiceWorker.deliverPushMessage", {
        ...{ origin: service.baseUrl, registrationId, data },
      });
      await eventually(async () => expect((await noted()).shown).toHaveLength(count));
    };
    /** Clicks the last notice. */
    const click = async (data?: object) => {
      await worker.evaluate(async (other) => {
        const scope = Object(globalThis);
        const event = Object(new Event("notificationclick"));
        const shown = scope.shown.at(-1);
        event.notification = { close() {}, data: other ?? shown.data };
        let done = Promise.resolve();
        event.waitUntil = (work: Promise<void>) => {
          done = work;
        };
        scope.dispatchEvent(event);
        await done;
      }, data);
      return (await noted()).opened.at(-1);
    };
    return { app, page, deliver, click, noted };
  }

  it("lead from a proposal to its decision with two clicks", async () => {
    const { app, page, deliver, click, noted } = await openWithWorker();
    const id = (await app.report({ subject: "Uploads" })).field("id");
    const runId = await propose(service, app, id);
    await deliver(1);
    const thread = `${service.baseUrl}/console/feedback/${app.appId}/${id}`;
    expect((await noted()).shown).toMatchObject([
      {
        ...{ title: "Demo: A proposal waits for a decision", body: "“Uploads”", renotify: true },
        ...{ tag: expect.stringMatching(/^[\da-f]{32}$/), data: { url: `${thread}#proposal` } },
      },
    ]);
    // This click is the first one.
    expect(await click()).toBe(`${thread}#proposal`);
    await page.goto(`${thread}#proposal`);
    await page.getByRole("button", { name: "Approve this plan" }).tap();
    await page.getByText("Approved. The agent may now proceed.").waitFor();
    const [run] = await service.deps.database.all<{ status: string }>(
      "SELECT status FROM runs WHERE id = ?",
      runId,
    );
    expect(run?.status).toBe("approved");
    await page.context().close();
  });

  it("open in a tab that already shows the page, and open no page of another site", async () => {
    const { app, page, deliver, click } = await openWithWorker();
    const id = (await app.report({ subject: "Uploads" })).field("id");
    await page.goto(`/console/feedback/${app.appId}/${id}`);
    await propose(service, app, id);
    await deliver(1);
    expect(await click()).toBe(`focused ${service.baseUrl}/console/feedback/${app.appId}/${id}`);
    await page.waitForURL(/#proposal$/);
    const home = `${service.baseUrl}/console/`;
    for (const url of ["https://evil.example/", `${service.baseUrl}/p/x`, "javascript:alert(1)", ""])
      expect(await click({ url })).toBe(home);
    await page.context().close();
  });
});
