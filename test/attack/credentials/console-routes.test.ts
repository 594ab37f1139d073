import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, fieldsOf } from "../../support/browser/browser-without-scripts.ts";
import { consolePaths, proposalPaths } from "../../support/browser/console-paths.ts";
import { guardedConsoleRoutes } from "../../support/service/console-routes.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeProposalStates } from "../../support/worlds/agents/proposal-states.ts";
import { makeAllCredentials, waysToShow } from "../../support/worlds/members/all-credentials.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

type Headers = Record<string, string>;

/** A form as the owner sees it: its address and its fields. */
type Forms = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Forms with which members change only their own data, and a form that shows a page again. */
const isOwn = (path: string): boolean =>
  /\/(read|hide-changes|unread|saved-reply)$|^\/console\/(views|account\/notices)\/[^/]+$/.test(path);

/** A download that the API offers to maintainer tokens, too. */
const isDownload = (path: string): boolean => path.endsWith("/download");

/**
 * Forms that no page of the test data shows, because they need another state, and the reason why the test does not need
 * them.
 */
const notShown = [
  // They change the person's own account, and no app.
  /^\/console\/(devices|account|sign-in-methods|people|invitations|drafts|import)\b/,
  // It changes the person's own list, and needs an earlier visit.
  /\/hide-changes$/,
  // It needs an app without reports.
  /\/test-report$/,
  // They need a draft, an older text, or a webhook that is switched off.
  /\/(discard|restore|on)$/,
];

describe("every route of the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let paths: string[];
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeOwnerWithOneOfEach(service);
    await world.call("POST", `/apps/${world.app.id}/faqs`, { question: "How?", answer: "So." });
    paths = [
      // Later pages show the same form with threads.
      await pathOfView(),
      ...consolePaths(world),
      ...proposalPaths(world, await makeProposalStates(service, world)),
      await pathOfThreadWithSender(),
      ...(await pathsOfSlots()),
      ...(await pathsOfMerge()),
      ...(await pathsOfTranslations()),
    ];
  });
  afterAll(() => service.stop());

  const pathOfThreadWithSender = async () => {
    const id = await sendFeedback(service, world.app.key, { email: "mallory@example.org" });
    await world.call("POST", `/apps/${world.app.id}/tags`, { name: "slow", colour: "blue" });
    await world.call("PATCH", `/feedback/${id}`, { addTags: ["slow"] });
    return `/console/feedback/${world.app.id}/${id}`;
  };
  const pathsOfSlots = async () => {
    const cycle = await service.makeCycle(await service.makeListing(world.app));
    const [slotId = ""] = cycle.slotIds;
    await service.giveSlot(cycle, slotId, await service.makeUser());
    return [`/console/cycles/${world.app.id}/${cycle.id}?slot=${slotId}`];
  };

  const pathsOfMerge = async () => {
    const at = `/console/feedback/${world.app.id}`;
    const [into, id] = [
      await sendFeedback(service, world.app.key, {}),
      await sendFeedback(service, world.app.key, {}),
    ];
    await world.call("POST", `/feedback/${id}/merge`, { into });
    return [`${at}/${into}`, `${at}/${into}/merge`];
  };
  const pathOfView = async () => {
    const view = { name: "Crashes", query: { type: "bug" }, shared: true };
    const answer = await world.call("POST", `/apps/${world.app.id}/views`, view);
    return `/console/feedback/${world.app.id}?saved=${answer.field("id")}`;
  };
  const pathsOfTranslations = async () => {
    const { app, faqId, entryId } = world;
    const translate = (path: string, ar: object) =>
      service.request("PATCH", `/api/v1/console${path}`, {
        headers: { ...world.headers, "if-match": "*" },
        body: { translations: { ar } },
      });
    await translate(`/faqs/${faqId}`, { question: "Q", answer: "A" });
    await translate(`/changelog/${entryId}`, { title: "T", body: "B" });
    return [`/console/faqs/${app.id}/${faqId}?lang=ar`, `/console/changelog/${app.id}/${entryId}?lang=ar`];
  };

  const routes = () => guardedConsoleRoutes(service);
  const idsOf = (): Record<string, string> => {
    const { app, threadId, ...ids } = world;
    const known = { ...ids, appId: app.id, id: threadId };
    return Object.fromEntries(
      Object.entries(known).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  };
  const addressOf = (pattern: string) => {
    const ids = idsOf();
    return pattern.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? "none");
  };
  const send = (method: string, path: string, headers: Headers, fields: Record<string, string> = {}) =>
    service.request(method, path, {
      headers: {
        ...headers,
        accept: "text/html",
        ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      ...(method === "POST" ? { body: new URLSearchParams(fields).toString() } : {}),
    });
  /** Returns the data of the app that an answer shows. Ids that are already in the address do not count. */
  const leaksIn = ({ text, headers }: Answer, path: string) => {
    const told = `${text}\n${headers.get("location")}`;
    const traces = [...Object.values(idsOf()), world.owner.email, "It broke.", "Because.", "Mend it"];
    return traces.filter((trace) => !path.includes(trace) && told.includes(trace));
  };

  it("refuses every credential except a console session, and a missing one", async () => {
    const secrets = Object.entries(await makeAllCredentials(service, world));
    const { length } = routes();
    expect(length).toBeGreaterThan(100);
    const shown = [["nothing", ""], ...secrets].flatMap(([kind, secret = ""]) =>
      waysToShow(secret, service.baseUrl).map((headers) => ({ kind, headers })),
    );
    for (const { method, path } of routes()) {
      const address = addressOf(path);
      const tried = shown.filter(({ kind }) => !isDownload(path) || kind !== "maintainer token");
      const answers = await Promise.all(tried.map(({ headers }) => send(method, address, headers)));
      for (const [at, answer] of answers.entries()) {
        const seen = { kind: tried[at]?.kind, method, path, shown: Object.keys(tried[at]?.headers ?? {}) };
        expect({ ...seen, leaks: leaksIn(answer, address) }).toEqual({ ...seen, leaks: [] });
        expect([303, 401], JSON.stringify(seen)).toContain(answer.status);
        if (answer.status === 303) expect(answer.headers.get("location")).toMatch(/^\/console\/sign-in\?/);
      }
    }
  }, 240_000);

  /** Every form of every page, as the owner sees it. */
  const formsOfOwner = async (): Promise<Forms> => {
    const owner = createBrowserWithoutScripts(service, world.headers);
    const forms = new Map<string, Record<string, string>>();
    for (const path of paths) {
      const { text } = await owner.open(path);
      for (const [, traits = "", inside = ""] of text.matchAll(
        /<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/g,
      )) {
        const actions = [traits, inside].flatMap((html) =>
          [...html.matchAll(/\b(?:form)?action="([^"]*)"/g)].map(([, action = ""]) => action),
        );
        for (const action of actions) forms.set(action, { ...buttonOf(inside, action), ...fieldsOf(inside) });
      }
    }
    return forms;
  };

  it("that accepts a form is tested here: its form is on a page, or in a list with a reason", async () => {
    const forms = [...(await formsOfOwner()).keys()];
    const missing = routes()
      .filter(({ method }) => method === "POST")
      .filter(({ path }) => !notShown.some((pattern) => pattern.test(path)))
      .filter(
        ({ path }) =>
          !forms.some((action) =>
            new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`).test(action.replace(/\?.*/, "")),
          ),
      );
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  /** The data of the app that the owner sees. */
  const state = async (): Promise<string[]> => {
    const lists = ["", "/members", "/invitations", "/feedback", "/keys", "/faqs", "/changelog", "/listings"];
    const of = [...lists, "/tags", "/saved-replies", "/blocked-senders"].map(
      (part) => `/apps/${world.app.id}${part}`,
    );
    const answers = await Promise.all(
      [...of, `/feedback/${world.threadId}`, `/cycles/${world.cycleId}`].map((path) =>
        world.call("GET", path),
      ),
    );
    return answers.map(({ status, text }) => `${status} ${text}`);
  };
  /** Valid values for fields that are empty on the page. */
  const filled = (fields: Readonly<Record<string, string>>): Record<string, string> => {
    const texts: Readonly<Record<string, string>> = { ...typed, confirmation: "Demo", addTags: "hijacked" };
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value || (texts[name] ?? "")]),
    );
  };
  /** The forms of the app. Those that delete come last, and the one that deletes the app is the very last. */
  const formsOfApp = async (wanted: (path: string) => boolean) =>
    [...(await formsOfOwner())]
      // A form with files is refused first, because its body has another type.
      .filter(([path]) => path.includes(world.app.id) && !path.endsWith("/pictures") && wanted(path))
      .sort(([one], [other]) => Number(isDeletion(one)) - Number(isDeletion(other)));

  it.each([
    { role: "viewer", wanted: (path: string) => !isOwn(path) },
    { role: "maintainer", wanted: isOfOwners },
  ] as const)(
    "refuses each form that a $role may not send, and changes nothing",
    async ({ role, wanted }) => {
      const member = await service.makeMember(world.app.id, role);
      const headers = await service.signIn(member);
      const before = await state();
      // Every member may leave.
      const forms = await formsOfApp((path) => wanted(path) && !path.includes(member.id));
      expect(forms.length).toBeGreaterThan(5);
      for (const [path, fields] of forms) {
        const { status } = await send("POST", path, headers, filled(fields));
        expect([path, status]).toEqual([path, 403]);
      }
      expect(await state()).toEqual(before);
    },
  );

  it("finds nothing for the owner of another app, even below the address of that owner's app", async () => {
    const stranger = await service.makeUser();
    const own = await service.makeApp(stranger);
    const headers = await service.signIn(stranger);
    const before = await state();
    const forms = await formsOfApp(() => true);
    const pages = paths
      .filter((path) => path.includes(world.app.id))
      .map((path) => ["GET", path, {}] as const);
    const all = [...pages, ...forms.map(([path, fields]) => ["POST", path, fields] as const)];
    for (const [method, path, fields] of all)
      for (const address of [path, path.replace(world.app.id, own.id)]) {
        const answer = await send(method, address, headers, filled(fields));
        expect([method, address, leaksIn(answer, address)]).toEqual([method, address, []]);
        if (address === path || /\/[\w-]{36}\/[\w-]{36}/.test(address))
          expect([method, address, answer.status]).toEqual([method, address, 404]);
      }
    expect(await state()).toEqual(before);
  });
});

/** The fields that a form sends with the button for this address. */
const buttonOf = (inside: string, action: string): Record<string, string> => {
  const buttons = [...inside.matchAll(/<button\b([^>]*)>/g)]
    .map(([, traits = ""]) => traits)
    .filter((traits) => !traits.includes(" disabled"));
  const traits = buttons.find((one) => one.includes(`formaction="${action}"`)) ?? buttons[0] ?? "";
  const [name, value] = ["name", "value"].map(
    (trait) => new RegExp(`\\b${trait}="([^"]*)"`).exec(traits)?.[1],
  );
  return name && value ? { [name]: value } : {};
};

const isOfOwners = (path: string): boolean => /^\/console\/(apps|members|data)\//.test(path);
const isDeletion = (path: string): boolean => /\/(delete|remove|revoke|withdraw)$/.test(path);

const typed = {
  ...{ email: "mallory@example.org", name: "Mallory's", title: "Mine", question: "Mine?", answer: "Mine." },
  ...{ version: "6.6.6", noteBody: "Mine.", replyBody: "Mine.", body: "Mine.", label: "Mine", note: "Mine." },
  ...{
    appName: "Mine",
    packageName: "org.example.mine",
    optInUrl: "https://mine.example/",
    testBrief: "Mine.",
  },
  ...{
    viewName: "Mine",
    tagName: "mine",
    undo: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11",
    screens: "Mine",
    seats: "3",
    startsOn: "2099-01-01",
    timezone: "UTC",
  },
};
