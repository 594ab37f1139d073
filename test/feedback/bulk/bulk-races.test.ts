import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { fc } from "../../support/property.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const acts = ["bulk", "undo", "reply", "note", "repeat", "resolve", "delete", "snooze", "viewer"] as const;

describe.each(databases)("bulk changes at the same time as other work on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it("lose no message, follow the role, and are undone at most once for each thread", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...acts), fc.nat(2)), { minLength: 4, maxLength: 10 }),
        async (chosen) => {
          const team = await makeTeam(service);
          const viewer = await team.join("viewer");
          const report = (at: number) => ({ dedupeKey: `key ${at}`, dedupeScope: "ci", dedupeRun: "1" });
          const ids: string[] = [];
          for (const at of [0, 1, 2]) ids.push(await sendFeedback(service, team.app.key, report(at)));
          const path = `/apps/${team.app.id}/feedback/bulk`;
          const first = await team.call("POST", path, { ids, change: { status: "in_progress" } });
          const token: unknown = Object(first.body).undo;
          const written = new Map<string, number>();
          const deleted = new Set<string>();
          const undone: number[] = [];
          const until = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
          await Promise.all(
            chosen.map(async ([act, at], order) => {
              const id = ids[at] ?? "";
              if (act === "bulk" || act === "viewer") {
                const call = act === "bulk" ? team.call : viewer.call;
                const { status } = await call("POST", path, { ids, change: { status: "archived" } });
                expect(status).toBe(act === "bulk" ? 200 : 403);
              } else if (act === "undo") {
                const { status, body } = await team.call("POST", `${path}/undo`, { undo: token });
                expect([200, 409]).toContain(status);
                if (status === 200) undone.push(Object(body).changed);
              } else if (act === "delete") {
                await team.call("DELETE", `/feedback/${id}`);
                deleted.add(id);
              } else if (act === "snooze") {
                await team.call("POST", path, { ids, change: { snoozedUntil: until } });
              } else if (act === "resolve") {
                await team.call("POST", `${team.at}/feedback/resolve`, {
                  ...{ scope: "ci", run: "2", passed: [`key ${at}`] },
                });
              } else if (act === "repeat") {
                const sent = { ...report(at), dedupeRun: `again ${order}` };
                const joined = await sendFeedback(service, team.app.key, sent);
                written.set(joined, (written.get(joined) ?? 0) + (joined === id ? 1 : 0));
              } else {
                const direction = act === "note" ? "note" : "outbound";
                const said = { direction, body: `Words ${order}.` };
                const { status } = await team.call("POST", `/feedback/${id}/messages`, said);
                // A reply to a thread that has just been deleted has no receivers.
                expect([201, 400, 404]).toContain(status);
                if (status === 201) written.set(id, (written.get(id) ?? 0) + 1);
              }
            }),
          );
          for (const id of ids) {
            const { status, body } = await team.call("GET", `/feedback/${id}`);
            expect([status === 404, deleted.has(id)]).toEqual([deleted.has(id), deleted.has(id)]);
            if (status !== 200) continue;
            const own = Object(body).messages.filter(
              ({ body: text }: { body: string }) => !/passed|resolved/i.test(text),
            );
            expect(own.length).toBe(written.get(id) ?? 0);
          }
          expect(undone.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(ids.length);
        },
      ),
      { numRuns: 8 },
    );
  });
});
