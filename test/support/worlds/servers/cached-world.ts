import type { Service } from "../../service/service.ts";
import { makeWorkingAgent } from "../agents/approved-proposal.ts";
import { bearer } from "../owner-with-one-of-each.ts";

/** An app with all data that servers cache, and a record of the changes so far. */
export type CachedWorld = Awaited<ReturnType<typeof makeCachedWorld>>;

export async function makeCachedWorld(service: Service) {
  const cast = await makeWorkingAgent(service);
  const { appId, agent, person } = cast;
  const report = (server: Service, fields: object = {}) =>
    server.request("POST", "/api/v1/feedback/remote", {
      headers: cast.key,
      body: { type: "bug", message: "The page closes.", dedupeKey: "one", ...fields },
    });
  const threadId = (await report(service)).field("id");
  const member = await service.makeMember(appId, "owner");
  const listing = await service.makeListing({ id: appId }, { seats: 2, durationDays: 14, maxMissedDays: 14 });
  const cycle = await service.makeCycle(listing);
  const slotId = cycle.slotIds[0] ?? "";
  const tester = await service.makeUser();
  const testKey = await service.giveSlot(cycle, slotId, tester);
  const device = await service.makeDevice(tester);
  return {
    ...{ cast, appId, agent, person, report, threadId, member, slotId, tester, testKey, device },
    listingId: listing.id,
    cycleId: cycle.id,
    memberAgent: bearer(await service.makeToken(member, "agent")),
    testerSession: await service.signIn(tester),
    firstDevice: device,
    runs: [await cast.proposeOn(threadId)],
    otherSlotId: (await service.makeCycle(listing)).slotIds[0] ?? "",
    faqs: [] as string[],
    noteId: "",
    blocks: [] as string[],
    claimId: "",
    second: { id: "", key: cast.key },
    token: { id: "", headers: agent },
  };
}

/** The name of an answer that servers cache. */
export type LookName = keyof ReturnType<typeof looksAt>;

/** All cached answers, as this server sends them. Clients must see no difference between servers. */
export async function lookAt(server: Service, world: CachedWorld): Promise<Record<string, string>> {
  const looks = looksAt(world);
  const seen = await Promise.all(
    Object.entries(looks).map(async ([name, { path, headers }]) => {
      const { status, text } = await server.request("GET", `/api/v1${path}`, { headers });
      return [name, `${status} ${text.replaceAll(server.baseUrl, "")}`] as const;
    }),
  );
  return Object.fromEntries(seen);
}

/** Reads one of them. */
export async function lookAtOne(server: Service, world: CachedWorld, at: number): Promise<void> {
  const looks = Object.values(looksAt(world));
  const look = looks[at % looks.length];
  if (look) await server.request("GET", `/api/v1${look.path}`, { headers: look.headers });
}

interface Look {
  readonly path: string;
  readonly headers: Record<string, string>;
}

function looksAt({ cast, agent, threadId, runs, ...world }: CachedWorld) {
  const thread = `/agent/feedback/${threadId}`;
  return {
    faqs: { path: "/faqs/remote", headers: cast.key },
    "faqs with the second key": { path: "/faqs/remote", headers: world.second.key },
    "release notes": { path: "/changelog/remote", headers: cast.key },
    thread: { path: thread, headers: agent },
    "thread for the member's agent": { path: thread, headers: world.memberAgent },
    "thread with the second token": { path: thread, headers: world.token.headers },
    "first run": { path: `/agent/runs/${runs[0]}`, headers: agent },
    "first run for the member's agent": { path: `/agent/runs/${runs[0]}`, headers: world.memberAgent },
    "last run": { path: `/agent/runs/${runs.at(-1)}`, headers: agent },
    status: { path: `/testing/sdk/session?testKey=${world.testKey}`, headers: cast.key },
    tasks: { path: "/testing/me/tasks", headers: world.device },
    "tasks on the first device": { path: "/testing/me/tasks", headers: world.firstDevice },
  } satisfies Record<string, Look>;
}
