import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the command innkeep app statistics", () => {
  let service: Service;
  let token = "";
  let appId = "";
  let owner: Awaited<ReturnType<Service["makeUser"]>>;
  beforeAll(async () => {
    service = await startService({ still: true });
    service.clock.setOffset(Date.parse("2026-11-20T23:40:00Z") - Date.now());
    owner = await service.makeUser();
    const app = await service.makeApp(owner);
    appId = app.id;
    token = await service.makeToken(owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write", "apps:read"],
    });
    await sendFeedback(service, app.key, { type: "bug", dedupeKey: "ci:one", subject: "It stops" });
    await sendFeedback(service, app.key, { type: "bug", dedupeKey: "ci:one", subject: "It stops" });
  });
  afterAll(() => service.stop());

  const run = async (...args: string[]) => {
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    return line.run(["app", "statistics", appId, "--zone", "Asia/Kolkata", ...args]);
  };
  const days = ["--from", "2026-11-20", "--to", "2026-11-21"];

  it("shows what arrived", async () => {
    const { stdout, exit } = await run(...days);
    expect(exit).toBe(0);
    expect(stdout).toContain("2026-11-20 to 2026-11-21, Asia/Kolkata");
    expect(stdout).toContain("1 (1 bug, 0 feature, 0 question, 0 general)");
    expect(stdout).toContain("#1 ×2  It stops");
  });

  it("names a thread by its id while the server cannot store a number", async () => {
    const { database } = service.deps;
    const broken = "BEFORE UPDATE OF number ON feedback BEGIN SELECT RAISE(ABORT, 'full'); END";
    await database.write((tx) => tx.run(`CREATE TRIGGER broken ${broken}`));
    const app = await service.makeApp(owner);
    const report = { dedupeKey: "ci:full", subject: "The disk is full" };
    const id = await sendFeedback(service, app.key, report);
    await sendFeedback(service, app.key, report);
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    const { stdout } = await line.run(["app", "statistics", app.id]);
    await database.write((tx) => tx.run("DROP TRIGGER broken"));
    expect(stdout).toContain(`${id} ×2  The disk is full`);
  });

  it("shows no 90th percentile of fewer than ten first replies", async () => {
    const app = await service.makeApp(owner);
    const headers = { authorization: `Bearer ${token}` };
    const shown = async () =>
      (await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token })).run([
        ...["app", "statistics", app.id],
      ]);
    const answer = async () => {
      const id = await sendFeedback(service, app.key, {});
      const body = { direction: "outbound", body: "Thank you." };
      await service.request("POST", `/api/v1/console/feedback/${id}/messages`, { headers, body });
    };
    for (let sent = 0; sent < 9; sent++) await answer();
    expect((await shown()).stdout).toContain("(median), – (90th percentile, shown from 10 first replies on)");
    await answer();
    expect((await shown()).stdout).toMatch(/\(median\), \d+ min \(90th percentile\)/);
  });

  it("prints the answer of the API with --json", async () => {
    const { stdout } = await run(...days, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ perDay: [{ repeats: 0 }, { day: "2026-11-21", repeats: 1 }] });
  });

  it("prints a line for each day with --csv", async () => {
    expect((await run(...days, "--csv")).stdout).toBe(
      [
        "day,bug,feature,question,general,repeats,resolved,replies",
        "2026-11-20,0,0,0,0,0,0,0",
        "2026-11-21,1,0,0,0,1,0,0",
        "",
      ].join("\r\n"),
    );
  });

  it.each([
    [["--csv", "--json"]],
    [["--days", "367"]],
    [["--days", "7", "--from", "2026-11-01"]],
    [["--from", "2026-02-30"]],
  ])("refuses %s as a usage error", async (flags) => {
    expect((await run(...flags)).exit).toBe(2);
  });
});
