import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "../../../server/store/access/audit.ts";
import { recordedLabels } from "../../../server/store/access/audit-targets.ts";
import type { Reader } from "../../../server/store/engine/database.ts";
import { refreshStatistics } from "../../../server/store/engine/statistics.ts";
import { databases } from "../../support/database/databases.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

const owner = { userId: "owner", appId: null, needs: "owner", kind: "session" } as const;
const top = { position: ["9999", ""], limit: 51 };
const byAction = { ...top, appId: undefined, action: "app.delete" };
const byApp = { ...top, appId: "rare", action: undefined };
const byBoth = { ...top, appId: "rare", action: "app.delete" };

/** Queries of the audit that must not scan all entries of an account, with their values and the index of each. */
const reads: readonly [
  name: string,
  index: RegExp,
  values: readonly (string | number)[],
  read: (reader: Reader) => Promise<unknown>,
][] = [
  [
    "one kind of deed",
    /audit_by_action/,
    ["owner", "owner", "owner", "9999", "", "app.delete", 51, 51],
    (reader) => audit.list(reader, owner, byAction),
  ],
  [
    "one app",
    /audit_in_order/,
    ["owner", "owner", "owner", "rare", "9999", "", 51, 51],
    (reader) => audit.list(reader, owner, byApp),
  ],
  [
    "one kind of deed of one app",
    /audit_(by_action|in_order)/,
    ["owner", "owner", "owner", "rare", "9999", "", "app.delete", 51, 51],
    (reader) => audit.list(reader, owner, byBoth),
  ],
  ["the labels of revoked tokens", /audit_labels/, ["token"], (reader) => recordedLabels(reader, ["token"])],
];

describe.each(databases)("the audit of an account with many entries on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    const entry = { actor: "ada@example.org", target: null, address: null };
    await service.deps.database.write(async (tx) => {
      for (let at = 0; at < 3_000; at += 1) {
        const rare = at % 1_000 === 0;
        await audit.insert(tx, {
          ...entry,
          id: `${at}`,
          at: new Date(at * 1_000).toISOString(),
          ownerId: "owner",
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

  it.each(reads)("is read for %s by an index", async (_, index, values, read) => {
    const { database } = service.deps;
    const [sql = expect.fail("no statement ran")] = await traced.during(() => read(database));
    const literals = values.map((value) => (typeof value === "string" ? `'${value}'` : `${value}`));
    const filled = sql.replaceAll("?", () => literals.shift() ?? "");
    const explain = engine.engine === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
    const plan = JSON.stringify(await database.all(`${explain} ${filled}`));
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan on audit|SCAN (audit|e)"/);
  });
});
