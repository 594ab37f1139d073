import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outbox } from "../../../server/feedback/chat/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";

describe.each(databases)("the table of outgoing messages on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("loses only messages that were sent or given up a month ago", async () => {
    const { database, clock } = service.deps;
    const { id: appId } = await service.makeApp();
    const at = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString();
    const delivery = {
      appId,
      kind: "chat",
      subjectId: "run",
      target: "http://127.0.0.1:9/",
      payload: "{}",
    } as const;
    const far = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await database.write(async (tx) => {
      for (const [id, status, days] of [
        ["sent long ago", "sent", 31],
        ["given up long ago", "failed", 31],
        ["sent lately", "sent", 29],
        ["waits", "pending", 31],
      ] as const) {
        await outbox.insert(tx, { ...delivery, id, createdAt: status === "pending" ? far : at(days) });
        await tx.run("UPDATE outbox SET status = ? WHERE id = ?", status, id);
      }
    });
    await tidy(service.deps);
    const left = await database.all<{ id: string }>("SELECT id FROM outbox ORDER BY id");
    expect(left.map(({ id }) => id)).toEqual(["sent lately", "waits"]);
  });
});
