import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, recordedLabels } from "../../../server/access/audit/store.ts";
import type { Engine, Reader } from "../../../server/database/database.ts";
import { refreshStatistics } from "../../../server/database/statistics.ts";
import { databases } from "../../support/database/databases.ts";
import { planOf } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

const owner = { userId: "owner", appId: null, needs: "owner", kind: "session" } as const;
const top = { position: ["9999", ""], limit: 51 };
const all = { ...top, appId: undefined, action: undefined };
const byAction = { ...top, appId: undefined, action: "app.delete" };
const byApp = { ...top, appId: "rare", action: undefined };
const byBoth = { ...top, appId: "rare", action: "app.delete" };

const byPerson = { ...top, appId: undefined, action: undefined, actor: "grace@example.org" };
const tokenId = "01970000-0000-7000-8000-000000000001";
const byToken = { ...byPerson, actor: tokenId };

/**
 * Queries of the audit that must not read all entries of an account, and the index that each query uses, with its
 * columns.
 */
const reads: readonly [
  name: string,
  index: Record<Engine, RegExp>,
  read: (reader: Reader) => Promise<unknown>,
][] = [
  ["all", searched("audit_in_order", 1), (reader) => audit.list(reader, owner, all)],
  ["one kind of deed", searched("audit_by_action", 2), (reader) => audit.list(reader, owner, byAction)],
  ["one app", searched("audit_in_order", 1), (reader) => audit.list(reader, owner, byApp)],
  [
    "one kind of deed of one app",
    searched("audit_(by_action|in_order)", 1),
    (reader) => audit.list(reader, owner, byBoth),
  ],
  ["one person", searched("audit_by_person", 2), (reader) => audit.list(reader, owner, byPerson)],
  ["one token", searched("audit_by_token", 2), (reader) => audit.list(reader, owner, byToken)],
  [
    "the labels of revoked tokens",
    { sqlite: /INDEX audit_labels/, postgres: /audit_labels/ },
    (reader) => recordedLabels(reader, ["token"]),
  ],
];

/** The query uses the first columns of the index, not only its time. */
function searched(index: string, expressions: number): Record<Engine, RegExp> {
  const found = ["<expr>=\\?", "<expr>=\\?|action=\\?"].slice(0, expressions).map((part) => `(${part})`);
  return {
    sqlite: new RegExp(`INDEX ${index} \\(${found.join(" AND ")}`),
    postgres: new RegExp(`${index}.*\\n? *Index Cond: \\(\\(*COALESCE\\(`),
  };
}

describe.each(databases)("the audit of an account with many entries on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    const entry = { target: null, address: null };
    await service.deps.database.write(async (tx) => {
      for (let at = 0; at < 3_000; at += 1) {
        const rare = at % 1_000 === 0;
        await audit.insert(tx, {
          ...entry,
          id: `${at}`,
          at: new Date(at * 1_000).toISOString(),
          ownerId: "owner",
          actor: rare ? `grace@example.org, token ${tokenId}` : "ada@example.org",
          action: rare ? "app.delete" : "faq.update",
          appId: rare ? "rare" : "usual",
          target: rare ? "token" : null,
          label: rare ? "CI" : null,
        });
      }
      await refreshStatistics(tx);
    });
  });
  afterAll(() => service.stop());

  it.each(reads)("is read through an index for %s", async (_, index, read) => {
    const plan = await planOf(traced, service.deps.database, read);
    expect(plan).toMatch(index[engine.engine]);
    expect(plan).not.toMatch(/Seq Scan on audit|SCAN (audit|e)$/m);
  });
});
