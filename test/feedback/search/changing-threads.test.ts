import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { rangeOfSearch } from "../../../server/database/schema/search.ts";
import { readQuery } from "../../../server/feedback/search/rules.ts";
import { indexNext } from "../../../server/feedback/search/store/indexing.ts";
import { searchThreads } from "../../../server/feedback/search/store/search.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("a search of threads that change, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => service.stop());

  it("continues with older threads if a found thread has changed before its row was read (rule F18)", async () => {
    const team = await makeTeam(service);
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1)
      ids.push(await sendFeedback(service, team.app.key, { message: `checkout ${at}` }));
    const { database } = service.deps;
    const all = database.all.bind(database);
    let isChanged = false;
    vi.spyOn(database, "all").mockImplementation(async (sql, ...values) => {
      if (!isChanged && sql.includes("f.subject, f.category") && sql.includes("ORDER BY f.seq DESC")) {
        isChanged = true;
        await team.call("PATCH", `/feedback/${ids[9]}`, { status: "resolved" });
      }
      return all(sql, ...values);
    });
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = new URLSearchParams({ q: "checkout", status: "open", limit: "5" });
      if (cursor !== "") query.set("cursor", cursor);
      const { body } = await team.call("GET", `${team.at}/feedback?${query}`);
      const { items, nextCursor } = Object(body);
      found.push(...items.map(({ id }: { id: string }) => id));
      cursor = nextCursor;
    }
    expect(isChanged).toBe(true);
    expect(found).toEqual(ids.toReversed().filter((id) => id !== ids[9]));
  });

  it("finds an old thread by its number without a search of all newer threads (rule F58)", async () => {
    const team = await makeTeam(service);
    const first = await sendFeedback(service, team.app.key, { message: "the first one" });
    await team.call("GET", `${team.at}/feedback`);
    const { database } = service.deps;
    const row = await database.get<{ seq: number }>("SELECT seq FROM feedback WHERE id = ?", first);
    const seq = Number(row?.seq);
    const copied = "app_id, subject, category, metadata, files, occurrences, created_at, status";
    await database.write((tx) =>
      tx.run(
        `INSERT INTO feedback (id, number, indexed, seq, message, ${copied})
         SELECT CAST(? AS TEXT), 2, 0, seq + ${10 * rangeOfSearch}, 'the second one', ${copied} FROM feedback WHERE id = ?`,
        ...[randomUUID(), first],
      ),
    );
    while (await indexNext(database));
    const search = (q: string) =>
      searchThreads(
        database,
        { scope: { appIds: [team.app.id] }, query: readQuery(q, "member"), userId: team.owner.id },
        {
          ...{ conditions: [], before: Number.MAX_SAFE_INTEGER, limit: 10 },
          effort: { milliseconds: -1, few: 0, rare: -1 },
        },
      );
    for (const q of ["#1", "is:open #1", "#1 -zzz", "#1 first", '#1 "first one"'])
      expect([q, await search(q)]).toEqual([q, { seqs: [seq], reached: undefined }]);
    for (const q of ["#1 second", "#3", "is:resolved #1", "#1 #2"])
      expect([q, await search(q)]).toEqual([q, { seqs: [], reached: undefined }]);
  });
});
