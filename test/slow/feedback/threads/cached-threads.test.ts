import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { fc } from "../../../support/property.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";
import { makeWorkingAgent } from "../../../support/worlds/agents/approved-proposal.ts";
import { bearer } from "../../../support/worlds/owner-with-one-of-each.ts";

const sender = "eve@example.org";

/** Two threads that an owner's agent and a member's agent read, and all changes that affect what they read. */
async function begin(service: Service) {
  const world = await makeWorkingAgent(service);
  const { appId, person, decide, claim, order, proposeOn } = world;
  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, `/api/v1/console${path}`, { headers: person, body });
  const report = async (fields: object) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: world.key,
      body: { type: "bug", message: "The page closes.", ...fields },
    });
  const threads: string[] = [];
  for (const dedupeKey of ["one", "two"]) threads.push(String((await report({ dedupeKey })).field("id")));
  const member = await service.makeMember(appId, "owner");
  const readers = [world.agent, bearer(await service.makeToken(member, "agent"))];
  const runs: string[] = [];
  const blocks: string[] = [];
  let count = 0;

  const onThread = (id: string) => `/feedback/${id}`;
  /** A change returns nothing and may be refused. Only the reads after it count. */
  const acts: Record<string, (id: string, at: number) => Promise<unknown>> = {
    note: (id) => call("POST", `${onThread(id)}/messages`, { direction: "note", body: `Note ${count}` }),
    reply: (id) =>
      call("POST", `${onThread(id)}/messages`, { direction: "outbound", body: `Hello ${count}` }),
    resolve: (id) => call("PATCH", onThread(id), { status: "resolved" }),
    open: (id) => call("PATCH", onThread(id), { status: "open" }),
    retitle: (id) => call("PATCH", onThread(id), { subject: `Title ${count}` }),
    assign: (id) => call("PATCH", onThread(id), { assigneeId: member.id }),
    tag: (id) => call("PATCH", onThread(id), { tags: ["urgent"] }),
    repeat: (_, at) => report({ dedupeKey: at === 0 ? "one" : "two", message: `Again ${count}` }),
    hidden: (_, at) => report({ dedupeKey: at === 0 ? "one" : "two", message: "Hidden", email: sender }),
    async block() {
      const made = await call("POST", `/apps/${appId}/blocked-senders`, { kind: "address", sender });
      if (made.status === 201) blocks.push(String(made.field("id")));
    },
    async unblock() {
      const id = blocks.pop();
      if (id) await call("DELETE", `/blocked-senders/${id}`);
    },
    async release() {
      const hidden = await call("GET", `/apps/${appId}/hidden-feedback`);
      const [first] = Object(hidden.body).items;
      if (first) await call("POST", `/hidden-feedback/${first.id}/release`);
    },
    propose: async (id) => void runs.push(await proposeOn(id)),
    approve: () => decide(runs.at(-1) ?? "", { decision: "approve" }),
    reject: () => decide(runs.at(-1) ?? "", { decision: "reject", note: `No ${count}` }),
    recall: () => order(runs.at(-1) ?? "", "recall"),
    claim: () => claim(runs.at(-1) ?? ""),
    release_claim: () => order(runs.at(-1) ?? "", "release"),
    expire: async () => service.clock.advance(3 * 3_600_000),
    lifetime: () => call("PATCH", `/apps/${appId}`, { approvalHours: 2 }),
    rename: () => call("PATCH", `/apps/${appId}`, { name: `App ${count}` }),
    demote: () => call("PATCH", `/apps/${appId}/members/${member.id}`, { role: "viewer" }),
    promote: () => call("PATCH", `/apps/${appId}/members/${member.id}`, { role: "owner" }),
  };
  const read = (at: number, who: number): Promise<Answer> =>
    service.request("GET", `/api/v1/agent/feedback/${threads[at]}`, { headers: readers[who] ?? {} });
  const readAll = () => Promise.all([read(0, 0), read(1, 0), read(0, 1), read(1, 1)]);
  return {
    ...{ appId, member, threads, call, read, readAll, names: Object.keys(acts) },
    async act(name: string, at: number) {
      count += 1;
      await acts[name]?.(threads[at] ?? "", at);
    },
  };
}

const seen = (answers: readonly Answer[]) => answers.map(({ status, text }) => ({ status, text }));

describe.each(databases)("threads that the server keeps in memory, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());
  const forgetEverything = () => service.deps.database.write(async (tx) => tx.signal("*"));

  it("are equal to the database after each of many changes while other requests read", {
    timeout: 600_000,
  }, async () => {
    const { names } = await begin(service);
    const step = fc.record({ name: fc.constantFrom(...names), at: fc.nat({ max: 1 }) });
    const steps = fc.array(step, { minLength: 30, maxLength: 30, size: "max" });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = await begin(service);
        for (const { name, at } of taken) {
          await Promise.all([world.act(name, at), world.readAll(), world.readAll()]);
          const cached = seen(await world.readAll());
          await forgetEverything();
          expect({ after: name, seen: cached }).toEqual({
            after: name,
            seen: seen(await world.readAll()),
          });
        }
      }),
      { numRuns: rounds(3, 300), endOnFailure: true },
    );
  });

  it("are no longer read by the agent of a removed member, or by any agent after they were deleted", async () => {
    const { appId, member, threads, call, read, readAll } = await begin(service);
    expect((await readAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await call("DELETE", `/apps/${appId}/members/${member.id}`)).status).toBe(204);
    expect((await readAll()).map(({ status }) => status)).toEqual([200, 200, 404, 404]);
    expect((await call("DELETE", `/feedback/${threads[0]}`)).status).toBe(204);
    expect((await read(0, 0)).status).toBe(404);
  });

  it("contain no text of a person who was erased", async () => {
    const { act, call, read } = await begin(service);
    await act("block", 0);
    await act("hidden", 0);
    await act("unblock", 0);
    expect((await read(0, 0)).text).toContain("Hidden");
    const erased = await call("POST", "/people/erase", { email: sender });
    expect(erased.status).toBe(201);
    await eventually(async () => {
      const receipt = await call("GET", `/people/erasures/${erased.field("id")}`);
      expect(receipt.body).toMatchObject({ status: "done" });
    });
    expect((await read(0, 0)).text).not.toContain("Hidden");
  });
});
