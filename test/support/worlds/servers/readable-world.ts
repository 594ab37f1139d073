import { fc } from "../../property.ts";
import type { Readable } from "../../service/ready-requests.ts";
import type { Service } from "../../service/service.ts";
import { decide, makeAppWithAgent, propose, submitFeedback, writeNote } from "../app-with-owner-and-agent.ts";
import { dayMilliseconds } from "../tester-in-running-cycle.ts";

/** An app with data for every ready answer, and changes of all data that these answers show. */
export type ReadableWorld = Awaited<ReturnType<typeof makeReadableWorld>>;

/** `pass` lets time pass. */
export async function makeReadableWorld(service: Service, pass: (milliseconds: number) => void) {
  const cast = await makeAppWithAgent(service);
  const other = await makeAppWithAgent(service);
  const threads = [await submitFeedback(service, cast), await submitFeedback(service, cast)];
  const runs = [await propose(service, cast, threads[0] ?? "")];
  const tests = await makeTests(service, cast);
  const scoped = await service.makeToken(cast.owner, "agent", { appId: other.appId });
  const agents = [
    cast.agent,
    other.agent,
    { authorization: `Bearer ${scoped}` },
    { authorization: "bearer x" },
  ];
  const keys = [cast.key, other.key, { "x-api-key": await service.makeKey(cast.appId) }, {}];
  const devices = [...tests.devices, other.device, cast.agent];
  const console = (method: string, path: string, body?: object) =>
    service.request(method, `/api/v1/console${path}`, { headers: { ...cast.person, "if-match": "*" }, body });
  const faq = { question: "How?", answer: "So. ".repeat(3_000) };

  /** The addresses, each with several credentials. Only some of these may read it. */
  const readable = (): (readonly Readable[])[] => [
    ...["/api/v1/faqs/remote", "/api/v1/changelog/remote"].map((path) => withEach(path, keys)),
    ...threads.map((id) => withEach(`/api/v1/agent/feedback/${id}`, agents)),
    ...runs.slice(-2).map((id) => withEach(`/api/v1/agent/runs/${id}`, agents)),
    ...tests.testKeys.map((key) => withEach(`/api/v1/testing/sdk/session?testKey=${key}`, keys)),
    withEach("/api/v1/testing/me/tasks", devices),
  ];

  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    writesFaq: () => service.request("POST", "/api/v1/faqs/remote", { headers: cast.key, body: faq }),
    emptiesFaq: () =>
      service.request("PUT", "/api/v1/faqs/remote", {
        headers: { ...cast.key, "if-match": "*" },
        body: { faqs: [{ question: "Why?", answer: "Because." }] },
      }),
    publishes: () => writeNote(service, cast, { body: "**New**" }),
    publishesLater: () =>
      writeNote(service, cast, {
        publishedAt: new Date(service.clock.now().getTime() + 600_000).toISOString(),
      }),
    hidesChangelog: () => console("PATCH", `/apps/${cast.appId}`, { changelogEnabled: false }),
    showsChangelog: () => console("PATCH", `/apps/${cast.appId}`, { changelogEnabled: true }),
    replies: () =>
      console("POST", `/feedback/${threads[0]}/messages`, { direction: "outbound", body: "Fixed." }),
    notes: () =>
      console("POST", `/feedback/${threads[1]}/messages`, { direction: "note", body: "Look here." }),
    resolves: () => console("PATCH", `/feedback/${threads[0]}`, { status: "resolved" }),
    proposes: async () => {
      runs.push(await propose(service, cast, threads[0] ?? ""));
    },
    approves: () => decide(service, cast, runs.at(-1) ?? "", { decision: "approve" }),
    rejects: () => decide(service, cast, runs.at(-1) ?? "", { decision: "reject" }),
    limitsApprovals: () => console("PATCH", `/apps/${cast.appId}`, { approvalHours: 1 }),
    reportsSession: () => tests.reportSession(),
    waitsTenMinutes: async () => pass(600_000),
    waitsAnHour: async () => pass(3_600_000),
    waitsADay: async () => pass(dayMilliseconds),
    removesTester: () => console("POST", `/slots/${tests.slotIds[1]}/remove`),
    blocksSender: () =>
      console("POST", `/apps/${cast.appId}/blocked-senders`, { kind: "domain", sender: "spam.example" }),
    renamesApp: () => console("PATCH", `/apps/${cast.appId}`, { name: "Other" }),
  };
  return { readable, changes, cast };
}

const withEach = (path: string, credentials: readonly Readable["credential"][]): readonly Readable[] =>
  credentials.map((credential) => ({ path, credential }));

async function makeTests(service: Service, { appId, key }: Awaited<ReturnType<typeof makeAppWithAgent>>) {
  const listing = await service.makeListing({ id: appId });
  const cycle = await service.makeCycle(listing);
  const testers = [await service.makeUser(), await service.makeUser()];
  const testKeys: string[] = [];
  for (const [place, tester] of testers.entries())
    testKeys.push(await service.giveSlot(cycle, cycle.slotIds[place] ?? "", tester));
  return {
    slotIds: cycle.slotIds,
    testKeys: [...testKeys, "stk_unknown"],
    devices: [
      await service.makeDevice(testers[0] ?? { id: "" }),
      await service.makeDevice(testers[1] ?? { id: "" }),
    ],
    reportSession() {
      const now = service.clock.now().getTime();
      const body = {
        testKey: testKeys[0],
        startedAt: new Date(now - 300_000).toISOString(),
        endedAt: new Date(now).toISOString(),
        screens: ["Home", "Settings", "Map"],
        appVersion: "1.0.0",
      };
      return service.request("POST", "/api/v1/testing/sdk/session", { headers: key, body });
    },
  };
}

/** One of the changes. */
export const anyChange = ({ changes }: ReadableWorld): fc.Arbitrary<string> =>
  fc.constantFrom(...Object.keys(changes));
