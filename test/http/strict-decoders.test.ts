import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import { approve, exchange, newDevice } from "../support/sign-in/device-sign-in.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  writeNote,
} from "../support/worlds/app-with-owner-and-agent.ts";
import { makeTesterInCycle, type TesterInCycle } from "../support/worlds/tester-in-running-cycle.ts";

/** Returns what is wrong with a value; nothing if the value is valid. */
type Form = (value: unknown, at: string) => string[];

const fault = (isGood: boolean, at: string, wanted: string) => (isGood ? [] : [`${at} is not ${wanted}`]);
const matching =
  (pattern: RegExp, name: string): Form =>
  (value, at) =>
    fault(typeof value === "string" && pattern.test(value), at, name);
const text: Form = (value, at) => fault(typeof value === "string", at, "a string");
const whole: Form = (value, at) => fault(Number.isSafeInteger(value), at, "an integer");
const truth: Form = (value, at) => fault(typeof value === "boolean", at, "a boolean");
const uuid = matching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, "a uuid");
const url = matching(/^https?:\/\//, "a URL");
const instant = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "ISO 8601 UTC with milliseconds");
const oneOf = (...values: string[]): Form =>
  matching(new RegExp(`^(${values.join("|")})$`), values.join(" or "));
const orNull =
  (form: Form): Form =>
  (value, at) =>
    value === null ? [] : form(value, at);
const list =
  (form: Form): Form =>
  (value, at) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => form(element, `${at}.${index}`))
      : [`${at} is not an array`];

/** An object with exactly these fields. One whose name ends with `?` may be missing. */
function record(fields: Record<string, Form>): Form {
  const forms = new Map(Object.entries(fields).map(([name, form]) => [name.replace("?", ""), form]));
  return (value, at) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [`${at} is not an object`];
    const given = new Map(Object.entries(value));
    return [
      ...Object.keys(fields).flatMap((name) =>
        name.endsWith("?") || given.has(name) ? [] : [`${at}.${name} is missing`],
      ),
      ...[...given].flatMap(
        ([name, child]) => forms.get(name)?.(child, `${at}.${name}`) ?? [`${at}.${name} is unknown`],
      ),
    ];
  };
}

const faqFields = { id: uuid, question: text, answer: text, sortOrder: whole };
const faq = record(faqFields);
const listedFaq = record({ ...faqFields, createdAt: instant, updatedAt: instant });
const success = record({ success: truth });
const changelog = record({
  entries: list(
    record({
      id: uuid,
      title: text,
      version: text,
      versions: list(record({ platform: text, version: text })),
      releaseType: oneOf("major", "minor", "patch"),
      bodyFormat: oneOf("markdown", "items"),
      body: text,
      items: list(record({ type: text, text })),
      publishedAt: instant,
    }),
  ),
});
const sessionResult = record({ matched: truth, counted: truth, dayIndex: whole, reason: orNull(text) });
const statusFields = {
  matched: truth,
  dayIndex: whole,
  durationDays: whole,
  countedToday: truth,
  daysCounted: whole,
  dueBy: instant,
};
const tasks = record({
  tasks: list(
    record({
      slotId: uuid,
      cycleId: uuid,
      listingId: uuid,
      appName: text,
      iconUrl: url,
      packageName: text,
      optInUrl: url,
      testBrief: text,
      dayIndex: whole,
      durationDays: whole,
      targetScreen: text,
      dueBy: instant,
      submitted: truth,
      slotStatus: oneOf("active", "at_risk"),
      missedDays: whole,
      joinCheckPending: truth,
      verificationTier: oneOf("sdk", "screenshot"),
      testKey: orNull(text),
    }),
  ),
  outstanding: whole,
});
const slots = record({
  slots: list(
    record({
      slotId: uuid,
      cycleId: uuid,
      status: text,
      app: record({ name: text, iconUrl: url, packageName: text, optInUrl: url }),
      dayIndex: whole,
      durationDays: whole,
      cycleStatus: text,
      missedDays: whole,
      lastProofDayIndex: whole,
      joinCheckPending: truth,
      requestExpiresAt: orNull(instant),
      verificationTier: oneOf("sdk", "screenshot"),
      "testKey?": text,
    }),
  ),
});
const grant = record({
  token: matching(/^sdt_/, "a device token"),
  expiresAt: instant,
  scopes: list(text),
  profile: record({ timezone: text, isTester: truth }),
});

/** A decoder that refuses unknown fields, written from the specification alone. */
describe("a client that accepts only the fields of the specification", () => {
  let service: Service;
  let cast: AppWithAgent;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const call = async (method: string, path: string, body?: object, headers: object = cast.key) =>
    (await service.request(method, `/api/v1${path}`, { headers: { ...headers }, body })).body;
  const faq1 = { question: "How?", answer: "So." };
  const id = async () =>
    (await service.request("POST", "/api/v1/faqs/remote", { headers: cast.key, body: faq1 })).field("id");
  const session = (testKey: string, more: object = {}) => {
    const now = service.clock.now().getTime();
    const [startedAt, endedAt] = [new Date(now - 60_000).toISOString(), new Date(now).toISOString()];
    const body = { testKey, startedAt, endedAt, screens: ["Home", "Map"], ...more };
    return call("POST", "/testing/sdk/session", body, { "x-api-key": world.app.key });
  };
  const status = (testKey: string) =>
    call("GET", `/testing/sdk/session?testKey=${testKey}`, undefined, { "x-api-key": world.app.key });

  const answers: [string, Form, () => Promise<unknown>][] = [
    ["a created FAQ entry", faq, () => call("POST", "/faqs/remote", faq1)],
    [
      "a changed FAQ entry",
      faq,
      async () => call("PATCH", `/faqs/remote/${await id()}`, { answer: "Thus." }),
    ],
    ["a deletion", success, async () => call("DELETE", `/faqs/remote/${await id()}`)],
    ["the FAQ", listedFaq, async () => Object((await id()) && (await call("GET", "/faqs/remote")))[0]],
    [
      "release notes",
      changelog,
      async () => {
        const versions = [{ platform: "ios", version: "1.0" }];
        await writeNote(service, cast, { items: [{ type: "added", text: "Export" }], versions });
        await writeNote(service, cast, { version: "9.0.0", body: "Text" });
        return call("GET", "/changelog/remote");
      },
    ],
    ["a session that counts", sessionResult, () => session(world.testKey)],
    ["a session that does not count", sessionResult, () => session(world.testKey, { screens: [] })],
    ["a session of an unknown key", sessionResult, () => session("unknown")],
    ["the status of a key", record(statusFields), () => status(world.testKey)],
    ["the status of an unknown key", record({ ...statusFields, counted: truth }), () => status("unknown")],
    ["tasks", tasks, () => call("GET", "/testing/me/tasks", undefined, world.device)],
    ["slots", slots, () => call("GET", "/testing/me/slots", undefined, world.device)],
    [
      "the answer of the exchange",
      grant,
      async () => {
        const device = await newDevice();
        const person = await service.signIn(await service.makeUser());
        return (await exchange(service, device, await approve(service, person, device))).body;
      },
    ],
  ];

  it.each(answers)("can read %s", async (_, form, answer) => {
    expect(form(await answer(), "answer")).toEqual([]);
  });
});
