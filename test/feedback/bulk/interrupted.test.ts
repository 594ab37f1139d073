import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database, Transaction } from "../../../server/database/database.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

/** A database that fails when the first `left` threads of a bulk change are changed, or changed back. */
function failing(place: TestDatabase) {
  const fault = { left: Number.POSITIVE_INFINITY };
  const count = (isCounted: boolean) => {
    if (isCounted && fault.left-- <= 0) throw new Error("The power is off.");
  };
  const guarded = (tx: Transaction): Transaction => ({
    ...tx,
    insert: async (table, row) => {
      count(typeof table !== "string" && table.name === "bulk_threads");
      return tx.insert(table, row);
    },
    all: async (sql, ...values) => {
      count(sql.includes("DELETE FROM bulk_threads"));
      return tx.all(sql, ...values);
    },
  });
  const open = async (options?: object): Promise<Database> => {
    const database = await place.open(options);
    return { ...database, write: (work, pace) => database.write((tx) => work(guarded(tx)), pace) };
  };
  return { fault, place: { ...place, open } };
}

describe.each(databases)("an interrupted bulk change on $name", (engine) => {
  let service: Service;
  let team: Team;
  let place: TestDatabase;
  let fault: { left: number };
  let headers: Record<string, string>;
  beforeAll(async () => {
    place = await engine.create();
    const broken = failing(place);
    fault = broken.fault;
    service = await startService({ database: broken.place, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    headers = await service.signIn(team.owner);
  });
  afterAll(async () => {
    await service.stop();
    await place.remove();
  });

  const many = 230;
  const post = (path: string, key: string, body: object) =>
    service.request("POST", `/api/v1/console${team.at}/feedback/bulk${path}`, {
      headers: { ...headers, "idempotency-key": `"${key}"` },
      body,
    });
  const countOf = async (status: string): Promise<number> => {
    const row = await service.deps.database.get<{ count: number }>(
      "SELECT count(*) AS count FROM feedback WHERE app_id = ? AND status = ?",
      team.app.id,
      status,
    );
    return Number(row?.count);
  };
  async function sendMany() {
    for (let at = 0; at < many; at += 1) await sendFeedback(service, team.app.key);
    const asOf = service.clock.now().toISOString();
    return { filter: { status: "open" }, expected: { total: many, asOf }, change: { status: "resolved" } };
  }

  it("continues when it is repeated with its Idempotency-Key, and can then be undone as a whole", async () => {
    const body = await sendMany();
    const [key, undoKey] = [randomUUID(), randomUUID()];
    fault.left = 210;
    expect((await post("", key, body)).status).toBe(500);
    expect(await countOf("resolved")).toBe(200);
    fault.left = Number.POSITIVE_INFINITY;
    const other = { ...body, change: { status: "archived" } };
    expect(await post("", key, other)).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    const done = await post("", key, body);
    expect(done).toMatchObject({ status: 200, body: { changed: many, skippedCount: 0 } });
    expect(await countOf("resolved")).toBe(many);
    expect((await post("", key, body)).body).toEqual(done.body);

    const undo = { undo: done.field("undo") };
    fault.left = 1;
    expect((await post("/undo", undoKey, undo)).status).toBe(500);
    expect(await countOf("open")).toBe(200);
    fault.left = Number.POSITIVE_INFINITY;
    // An undo that has begun continues after the ten minutes, and other changes do not remove it.
    service.clock.advance(11 * 60_000);
    const nothing = { ids: [randomUUID()], change: { status: "archived" } };
    expect((await post("", randomUUID(), nothing)).status).toBe(200);
    expect(await post("/undo", undoKey, undo)).toMatchObject({ status: 200, body: { changed: many } });
    expect(await countOf("open")).toBe(many);
  });

  it("is carried out once when two requests with the same Idempotency-Key arrive at the same time", async () => {
    const body = await sendMany();
    const key = randomUUID();
    const answers = await Promise.all([post("", key, body), post("", key, body), post("", key, body)]);
    for (const { status, body: answer } of answers)
      if (status !== 200) expect(answer).toMatchObject({ code: "idempotency_in_progress" });
    const last = await post("", key, body);
    expect(last).toMatchObject({ status: 200, body: { changed: many, skippedCount: 0 } });
    const events = await service.deps.database.get<{ count: number }>(
      "SELECT count(*) AS count FROM audit WHERE app_id = ? AND action = 'thread.update'",
      team.app.id,
    );
    expect(Number(events?.count)).toBe(many);
  });
});
