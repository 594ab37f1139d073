import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";
import type { CachedWorld } from "./cached-world.ts";

const sender = "eve@example.org";
const dayMs = 86_400_000;

/** Changes something through one server. It may be refused. Only the reads after it count. */
export type Act = (server: Service) => Promise<unknown>;

type Acts = Record<string, Act>;

/** Every kind of change of cached data. `later` moves the clocks of all servers. */
export function createActs(world: CachedWorld, later: (milliseconds: number) => void): Acts {
  const calls = createCalls(world);
  return {
    ...content(calls, world),
    ...triage(calls, world),
    ...proposals(calls, world),
    ...access(calls, world),
    ...testing(calls, world, later),
  };
}

type Calls = ReturnType<typeof createCalls>;

/** The requests of people and programs to a server. */
function createCalls(world: CachedWorld) {
  const { appId, cast, person, threadId, runs } = world;
  let count = 0;
  const console = (server: Service, method: string, path: string, body?: unknown): Promise<Answer> =>
    server.request(method, `/api/v1/console${path}`, {
      headers: { ...person, origin: server.baseUrl },
      body,
    });
  const agent = (server: Service, method: string, path: string, body: unknown) =>
    server.request(method, `/api/v1/agent${path}`, { headers: world.agent, body });
  return {
    console,
    agent,
    next() {
      count += 1;
      return count;
    },
    faqs: (server: Service, method: string, path = "", body?: unknown) =>
      server.request(method, `/api/v1/faqs/remote${path}`, { headers: cast.key, body }),
    thread: (server: Service, method: string, path: string, body: unknown) =>
      console(server, method, `/feedback/${threadId}${path}`, body),
    app: (server: Service, change: object) => console(server, "PATCH", `/apps/${appId}`, change),
    order: (server: Service, verb: string, body: object = {}) =>
      console(server, "POST", `/runs/${runs.at(-1)}/${verb}`, body),
    work: (server: Service, verb: string, body: object) =>
      agent(server, "POST", `/runs/${runs.at(-1)}/${verb}`, body),
    role: (server: Service, wanted: string) =>
      console(server, "PATCH", `/apps/${appId}/members/${world.member.id}`, { role: wanted }),
    slot: (server: Service, verb: string) => console(server, "POST", `/slots/${world.slotId}/${verb}`, {}),
  };
}

const content = ({ next, faqs, console, app }: Calls, world: CachedWorld): Acts => ({
  "add a FAQ": async (server) => {
    const made = await faqs(server, "POST", "", { question: `How ${next()}?`, answer: "So." });
    if (made.status === 201) world.faqs.push(made.field("id"));
  },
  "edit a FAQ": (server) => faqs(server, "PATCH", `/${world.faqs.at(-1)}`, { answer: `So ${next()}.` }),
  "remove a FAQ": (server) => faqs(server, "DELETE", `/${world.faqs.pop()}`),
  "publish a note": async (server) => {
    const path = `/apps/${world.appId}/changelog/by-version/1.0.${next() % 3}`;
    const made = await console(server, "PUT", path, { title: `News ${next()}`, publish: true });
    if (made.status === 200) world.noteId = made.field("id");
  },
  "switch release notes off": (server) => app(server, { changelogEnabled: false }),
  "switch release notes on": (server) => app(server, { changelogEnabled: true }),
  "rename the app": (server) => app(server, { name: `App ${next()}` }),
});

const triage = ({ next, thread, console }: Calls, world: CachedWorld): Acts => ({
  note: (server) => thread(server, "POST", "/messages", { direction: "note", body: `Note ${next()}` }),
  resolve: (server) => thread(server, "PATCH", "", { status: "resolved" }),
  open: (server) => thread(server, "PATCH", "", { status: "open" }),
  retitle: (server) => thread(server, "PATCH", "", { subject: `Title ${next()}` }),
  assign: (server) => thread(server, "PATCH", "", { assigneeId: world.member.id }),
  repeat: (server) => world.report(server, { message: `Again ${next()}` }),
  hidden: (server) => world.report(server, { message: "Hidden", email: sender }),
  block: async (server) => {
    const path = `/apps/${world.appId}/blocked-senders`;
    const made = await console(server, "POST", path, { kind: "address", sender });
    if (made.status === 201) world.blocks.push(made.field("id"));
  },
  unblock: (server) => console(server, "DELETE", `/blocked-senders/${world.blocks.pop()}`),
});

const proposals = ({ next, agent, order, work }: Calls, world: CachedWorld): Acts => ({
  propose: async (server) => {
    const plan = { summary: `Plan ${next()}`, plan: "1. Look." };
    const made = await agent(server, "POST", `/feedback/${world.threadId}/proposal`, plan);
    if (made.status < 300) world.runs.push(made.field("runId"));
  },
  approve: (server) => order(server, "decision", { decision: "approve" }),
  reject: (server) => order(server, "decision", { decision: "reject", note: `No ${next()}` }),
  recall: (server) => order(server, "recall"),
  claim: async (server) => {
    const made = await work(server, "claim", { worker: "one" });
    if (made.status === 200) world.claimId = made.field("claimId");
  },
  "report progress": (server) => work(server, "progress", { claimId: world.claimId, text: `Step ${next()}` }),
  "release the claim": (server) => order(server, "release"),
});

const access = ({ console, role }: Calls, world: CachedWorld): Acts => ({
  demote: (server) => role(server, "viewer"),
  promote: (server) => role(server, "owner"),
  "make a key": async (server) => {
    const made = await console(server, "POST", `/apps/${world.appId}/keys`, { label: "second" });
    if (made.status === 201) world.second = { id: made.field("id"), key: { "x-api-key": made.field("key") } };
  },
  "replace a key": (server) =>
    console(server, "POST", `/apps/${world.appId}/keys/${world.second.id}/regenerate`, {}),
  "revoke a key": (server) => console(server, "DELETE", `/apps/${world.appId}/keys/${world.second.id}`),
  "make a token": async (server) => {
    const made = await console(server, "POST", "/tokens", { kind: "agent", label: "second" });
    if (made.status === 201)
      world.token = {
        id: made.field("id"),
        headers: { authorization: `Bearer ${made.field("token")}` },
      };
  },
  "revoke a token": (server) => console(server, "DELETE", `/tokens/${world.token.id}`),
  "sign a device in": async (server) => {
    world.device = await server.makeDevice(world.tester);
  },
  "sign a device out": async (server) => {
    const headers = { ...world.testerSession, origin: server.baseUrl };
    const found = await server.request("GET", "/api/v1/console/devices", { headers });
    const [device] = Object(found.body).items;
    await server.request("DELETE", `/api/v1/console/devices/${device?.id}`, { headers });
  },
});

const testing = (
  { next, console, slot }: Calls,
  world: CachedWorld,
  later: (milliseconds: number) => void,
): Acts => ({
  "report a session": (server) => {
    const at = (seconds: number) => new Date(server.clock.now().getTime() + seconds * 1_000).toISOString();
    const body = { testKey: world.testKey, startedAt: at(0), endedAt: at(60), screens: ["Home", "Map"] };
    return server.request("POST", "/api/v1/testing/sdk/session", { headers: world.cast.key, body });
  },
  "change the listing": (server) =>
    console(server, "PATCH", `/listings/${world.listingId}`, { testBrief: `Light lamp ${next()}.` }),
  // This is chosen rarely, because nothing changes any more in a cancelled cycle.
  "cancel the cycle": async (server) => {
    if (next() % 4 === 0) await console(server, "POST", `/cycles/${world.cycleId}/cancel`, {});
  },
  "confirm that the tester joined": (server) => slot(server, "confirm-join"),
  "replace the test key": async (server) => {
    const path = `/api/v1/testing/slots/${world.slotId}/rotate-key`;
    const made = await server.request("POST", path, { headers: world.device, body: {} });
    if (made.status === 200) world.testKey = made.field("testKey");
  },
  "let a day pass": async (server) => {
    later(dayMs);
    await server.request("GET", "/api/v1/testing/me/tasks", { headers: world.device });
  },
  "cut the listeners": async ({ deps: { database } }) => {
    if (database.engine === "postgres") await database.all(cutListeners);
  },
});

const cutListeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE query LIKE 'LISTEN%' AND datname = current_database()`;
