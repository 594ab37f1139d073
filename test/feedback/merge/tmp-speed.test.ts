import { describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { startService } from "../../support/service/service.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
describe.each(databases)("speed $name", (engine) => {
  it("merges 5000", async () => {
    const service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    const app = await makeAppWithSenders(service);
    const a = (await app.report({ dedupeKey: "a", dedupeScope: "x", dedupeRun: "0" })).field("id");
    const b = (await app.report({ dedupeKey: "b", dedupeScope: "x", dedupeRun: "0" })).field("id");
    for (const id of [a, b])
      await service.deps.database.write(async (tx) => {
        for (let at = 0; at < 4990; at++)
          await tx.run(
            `INSERT INTO messages (id, feedback_id, direction, author, body, created_at, category, subject, metadata, files, sender_email)
             VALUES (?, ?, 'inbound', 'sender', ?, ?, 'bug', null, '{"run":"1"}', '{"images":[],"videos":[],"attachments":[]}', 'a@b.example')`,
            service.deps.newId(), id, `The test failed again ${at}. `.repeat(20), new Date(Date.now() - at * 60_000).toISOString(),
          );
      });
    let t = performance.now();
    const m = await app.console("POST", `/feedback/${a}/merge`, { into: b });
    console.log(engine.name, "merge", m.status, performance.now() - t);
    t = performance.now();
    const g = await app.console("GET", `/feedback/${b}`);
    console.log("read", g.status, performance.now() - t);
    t = performance.now();
    const u = await app.console("POST", `/feedback/${a}/unmerge`);
    console.log("unmerge", u.status, performance.now() - t);
    expect(u.status).toBe(200);
    await service.stop();
  }, 120_000);
});
