import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { databases, type TestDatabase } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { startReceiver } from "../support/network/event-receiver.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam, type Team } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const many = 2_500;
const mostAtOnce = 1_000;

const waiting = "SELECT count(*) AS count FROM webhook_deliveries WHERE status = 'waiting'";

/** A database that records the largest number of deliveries that one transaction has removed from the queue. */
function watched(place: TestDatabase) {
  const seen = { most: 0 };
  const watching = (database: Database): Database => ({
    ...database,
    write: (work, pace) =>
      database.write(async (tx) => {
        const before = await tx.get<{ count: number }>(waiting);
        const result = await work(tx);
        const after = await tx.get<{ count: number }>(waiting);
        seen.most = Math.max(seen.most, Number(before?.count) - Number(after?.count));
        return result;
      }, pace),
  });
  return { seen, place: { ...place, open: async (options?: object) => watching(await place.open(options)) } };
}

describe.each(databases)("a webhook with very many waiting deliveries on $name", (engine) => {
  let service: Service;
  let team: Team;
  let place: TestDatabase;
  let seen: { most: number };
  beforeAll(async () => {
    place = await engine.create();
    const watch = watched(place);
    seen = watch.seen;
    service = await startService({ database: watch.place, settings: { privateWebhooks: true } });
  });
  afterAll(async () => {
    await service.stop();
    await place.remove();
  });

  const at = (id: string) => `/apps/${team.app.id}/webhooks/${id}`;
  const count = async (where: string): Promise<number> => {
    const row = await service.deps.database.get<{ count: number }>(
      `SELECT count(*) AS count FROM webhook_deliveries WHERE app_id = ? AND ${where}`,
      team.app.id,
    );
    return Number(row?.count);
  };

  /** Creates a webhook whose deliveries wait until tomorrow. */
  async function withMany() {
    team = await makeTeam(service);
    const receiver = await startReceiver();
    const made = await team.call("POST", `/apps/${team.app.id}/webhooks`, { url: receiver.url });
    const id = made.field("id");
    const now = service.clock.now();
    const tomorrow = new Date(now.getTime() + 86_400_000).toISOString();
    const numbers = {
      sqlite: "json_each(?) AS n",
      postgres: "json_array_elements_text(CAST(? AS json)) AS n",
    };
    const list = JSON.stringify(Array.from({ length: many }, (_, n) => `${n}`.padStart(6, "0")));
    await service.deps.database.write(async (tx) => {
      await tx.run(
        `INSERT INTO events (id, app_id, type, subject_id, facts, created_at)
         SELECT CAST(? AS text) || n.value, CAST(? AS text), 'faq.changed', CAST(? AS text), '{}', CAST(? AS text)
         FROM ${numbers[tx.engine]}`,
        ...[id.slice(0, 30), team.app.id, team.app.id, now.toISOString(), list],
      );
      await tx.run(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, app_id, status, tries, due_at, queued_at, event_at)
         SELECT CAST(? AS text), e.id, e.app_id, 'waiting', 1, CAST(? AS text), CAST(? AS text), e.created_at
         FROM events e WHERE e.app_id = ?`,
        ...[id, tomorrow, now.toISOString(), team.app.id],
      );
    });
    seen.most = 0;
    return { id, receiver };
  }
  const listed = async (id: string) =>
    Object((await team.call("GET", `/apps/${team.app.id}/webhooks`)).body).items.find(
      (one: { id: string }) => one.id === id,
    );

  it("is turned off immediately, and its waiting deliveries are cancelled in small steps", async () => {
    const { id, receiver } = await withMany();
    expect(await listed(id)).toMatchObject({ waiting: 99, lastStatus: null });
    expect((await team.call("PATCH", at(id), { enabled: false })).status).toBe(200);
    expect(await listed(id)).toMatchObject({ waiting: 0 });
    const { items } = Object((await team.call("GET", `${at(id)}/deliveries`)).body);
    expect(new Set(items.map(({ status }: { status: string }) => status))).toEqual(new Set(["failed"]));
    expect((await team.call("GET", `${at(id)}/deliveries?status=waiting`)).body).toMatchObject({ items: [] });
    expect((await team.call("PATCH", at(id), { enabled: true })).status).toBe(200);
    const thread = await sendFeedback(service, team.app.key);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]?.data).toMatchObject({ feedbackId: thread });
    await eventually(async () => expect(await count("status = 'failed'")).toBe(many));
    service.clock.advance(2 * 86_400_000);
    await service.deps.database.write(async (tx) => tx.signal("*"));
    expect(await listed(id)).toMatchObject({ waiting: 0, lastStatus: "delivered" });
    expect(receiver.received).toHaveLength(1);
    expect(seen.most).toBe(mostAtOnce);
  });

  it("is deleted immediately, and its deliveries are deleted in small steps", async () => {
    const { id } = await withMany();
    expect((await team.call("DELETE", at(id))).status).toBe(204);
    expect(await listed(id)).toBeUndefined();
    expect((await team.call("GET", `${at(id)}/deliveries`)).status).toBe(404);
    await eventually(async () => expect(await count("1 = 1")).toBe(0));
    await eventually(async () =>
      expect(await service.deps.database.all("SELECT 1 AS one FROM webhooks WHERE id = ?", id)).toEqual([]),
    );
    expect(seen.most).toBe(mostAtOnce);
  });

  it("is deleted in small steps with its app", async () => {
    await withMany();
    expect((await team.call("DELETE", `/apps/${team.app.id}`)).status).toBe(204);
    expect(await count("1 = 1")).toBe(0);
    const left = "SELECT 1 AS one FROM events WHERE app_id = ?";
    expect(await service.deps.database.all(left, team.app.id)).toEqual([]);
    expect(seen.most).toBe(mostAtOnce);
  });
});
