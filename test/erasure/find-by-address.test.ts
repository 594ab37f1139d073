import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshStatistics } from "../../server/database/statistics.ts";
import { countFound } from "../../server/erasure/api.ts";
import { findAddress } from "../../server/erasure/rules.ts";
import { findAt, findByAddress } from "../../server/erasure/store/erase.ts";
import { fill } from "../bench/growth/fill.ts";
import { sizeOf } from "../bench/growth/size.ts";
import { databases } from "../support/database/databases.ts";
import { personId } from "../support/database/hottest-reads.ts";
import { plansOf } from "../support/database/plans.ts";
import { tracedDatabase } from "../support/database/traced-database.ts";
import { type Service, startService } from "../support/service/service.ts";
import { grace, makePersonEverywhere } from "../support/worlds/people/person-everywhere.ts";

const personOf = (email: string) => ({ finder: findAddress(email.toLowerCase()), accountId: null });
const indexes = [
  "feedback_of_sender",
  "messages_by_sender",
  "messages_by_foreign_sender",
  "mails_by_recipient",
  "mail_addresses",
  "mail_originals_by_recipient",
  "invitations",
  "blocked_senders",
];

describe.each(databases)("the search for what a person sent and received, on $name,", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    const { database } = service.deps;
    const person = { email: "ada@example.org", password_hash: "", created_at: "2026-01-01T00:00:00.000Z" };
    await database.insert("users", { id: personId, ...person });
    await fill(database, sizeOf(1_000), { personId, secret: "a secret for drafts" });
  });
  afterAll(() => service.stop());

  const everyIndex = () =>
    it("uses only indexes", async () => {
      const erasing = { person: personOf("person77@example.org"), scope: { ownerId: personId } };
      const plans = await plansOf(traced, service.deps.database, (db) => findByAddress(db, erasing));
      expect(plans).toHaveLength(indexes.length);
      for (const [at, index] of indexes.entries()) {
        const byIndex =
          engine.engine === "sqlite"
            ? `SEARCH t\\b.* USING .*INDEX \\S*${index}`
            : `Index (Only )?Scan using \\S*${index}.*\\n *Index Cond:`;
        expect(plans[at]).toMatch(new RegExp(byIndex));
        expect(plans[at]).not.toMatch(/SCAN t\b|Seq Scan on (feedback|messages|mails)/);
      }
    });
  const everyStep = () =>
    it("uses the keys of a table, and never the apps of the owner", async () => {
      const erasing = { person: personOf("person77@example.org"), scope: { ownerId: personId } };
      const place = { pass: 0, after: ["0"] };
      const plans = await plansOf(traced, service.deps.database, (db) => findAt(db, erasing, place));
      expect(plans).toHaveLength(2);
      for (const plan of plans) {
        expect(plan).toMatch(
          engine.engine === "sqlite"
            ? /SEARCH t\b.* INDEX sqlite_autoindex_feedback_1 \(id>\?/
            : /Index (Only )?Scan using feedback_id_key/,
        );
        expect(plan).not.toMatch(/feedback_by_|Seq Scan on feedback/);
      }
    });

  describe("without statistics", () => {
    everyIndex();
    everyStep();
  });
  describe("with statistics", () => {
    beforeAll(() => service.deps.database.write(refreshStatistics));
    everyIndex();
    everyStep();
  });
});

describe.each(databases)("the preview of an erasure on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const everything = {
    ...{ threads: 2, messages: 1, mails: 0, invitations: 1 },
    ...{ seats: 0, answers: 1, audit: 3, texts: 10 },
  };
  const foundIn = async (milliseconds: number, otherThreads = 0) => {
    const { owner, app } = await makePersonEverywhere(service);
    await service.deps.database.write((tx) =>
      tx.run(
        `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at)
         WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 1500)
         SELECT '0000' || CAST(n AS text), ?, 'Other', 'Other.', 'bug', 'open', '{}', '{}', 1, 1, '2026-01-01T00:00:00.000Z'
         FROM numbers WHERE n <= ?`,
        app.id,
        otherThreads,
      ),
    );
    const erasing = { person: personOf(grace), scope: { ownerId: owner.id } };
    return countFound(service.deps.database, erasing, milliseconds);
  };

  it("is complete on a small server even if it has no time", async () => {
    expect(await foundIn(0)).toEqual({ complete: true, counts: everything });
  });

  it("counts what the person sent and received among many threads of others, even if it has no time", async () => {
    const { complete, counts } = await foundIn(0, 1_500);
    expect(complete).toBe(false);
    expect(counts).toMatchObject({ threads: 2, messages: 1, invitations: 1 });
    expect(counts.texts).toBeLessThan(everything.texts);
  });

  it("counts nothing twice if it has time for everything", async () => {
    await service.deps.database.write((tx) => tx.run("DELETE FROM feedback WHERE id LIKE '0000%'"));
    expect(await foundIn(600_000, 1_500)).toEqual({ complete: true, counts: everything });
  });
});
