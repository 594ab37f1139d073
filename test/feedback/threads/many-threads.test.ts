import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { fillThreads } from "../../support/worlds/owner-with-one-of-each.ts";

const many = 2_300;

describe.each(databases)("a change of very many threads on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeEach(async () => {
    service = await startService({ engine });
    team = await makeTeam(service);
    await fillThreads(service, team.app.id, Array(many).fill({}));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await service.stop();
  });

  const run = (sql: string, ...values: string[]) =>
    service.deps.database.write((tx) => tx.run(sql, ...values));
  const count = async (sql: string, ...values: string[]) =>
    Number((await service.deps.database.get<{ n: number }>(`SELECT count(*) AS n ${sql}`, ...values))?.n);

  /** Allows this number of transactions, and then none, as if the server had been killed. */
  function killAfter(transactions: number): void {
    const { database } = service.deps;
    const write = database.write.bind(database);
    let begun = 0;
    const failing: Database["write"] = (...given) => {
      begun += 1;
      return begun > transactions ? Promise.reject(new Error("killed")) : write(...given);
    };
    vi.spyOn(database, "write").mockImplementation(failing);
  }

  it("shows hidden threads again in small steps, and continues after an interruption", async () => {
    const sender = "eve@example.org";
    const made = await team.call("POST", `${team.at}/blocked-senders`, { kind: "address", sender });
    const id = String(made.field("id"));
    await run("UPDATE feedback SET status = 'blocked', blocked_by = ? WHERE app_id = ?", id, team.app.id);
    const shown = () => count("FROM feedback WHERE app_id = ? AND status = 'open'", team.app.id);

    killAfter(3);
    expect((await team.call("DELETE", `/blocked-senders/${id}`)).status).toBe(500);
    vi.restoreAllMocks();
    expect(await shown()).toBeGreaterThan(0);
    expect(await shown()).toBeLessThanOrEqual(3 * 200);
    const list = async () => Object((await team.call("GET", `${team.at}/blocked-senders`)).body).items;
    expect(await list()).toMatchObject([{ id }]);

    expect((await team.call("DELETE", `/blocked-senders/${id}`)).status).toBe(204);
    expect(await shown()).toBe(many);
    expect(await list()).toEqual([]);
    expect(await count("FROM feedback WHERE app_id = ? AND blocked_by IS NOT NULL", team.app.id)).toBe(0);
  });

  const makeTag = async (name: string) =>
    String((await team.call("POST", `${team.at}/tags`, { name })).field("id"));
  const tagAll = (id: string) =>
    run(
      `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status)
       SELECT id, CAST(? AS TEXT), created_at, created_at, status FROM feedback WHERE app_id = ?`,
      ...[id, team.app.id],
    );
  const threadsOf = (id: string) => count("FROM thread_tags WHERE tag_id = ?", id);

  it("removes a tag from its threads in small steps, and continues after an interruption", async () => {
    const id = await makeTag("shop");
    await tagAll(id);
    killAfter(3);
    expect((await team.call("DELETE", `/tags/${id}`)).status).toBe(500);
    vi.restoreAllMocks();
    expect(await threadsOf(id)).toBeLessThan(many);
    expect(await threadsOf(id)).toBeGreaterThanOrEqual(many - 3 * 500);
    expect((await team.call("DELETE", `/tags/${id}`)).status).toBe(204);
    expect(await threadsOf(id)).toBe(0);
    expect((await team.call("DELETE", `/tags/${id}`)).status).toBe(404);
  });

  it("merges a tag in small steps, so that each thread has one of the two tags at every moment", async () => {
    const [from, into] = [await makeTag("shop"), await makeTag("store")];
    await tagAll(from);
    killAfter(3);
    expect((await team.call("POST", `/tags/${from}/merge`, { into })).status).toBe(500);
    vi.restoreAllMocks();
    expect(await threadsOf(into)).toBeGreaterThan(0);
    expect((await threadsOf(from)) + (await threadsOf(into))).toBe(many);
    const merged = await team.call("POST", `/tags/${from}/merge`, { into });
    expect(merged.body).toMatchObject({ name: "store", threads: many });
    expect((await team.call("GET", `${team.at}/tags`)).body).toMatchObject({ items: [{ name: "store" }] });
  });
});
