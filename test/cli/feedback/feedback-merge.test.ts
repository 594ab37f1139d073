import { afterAll, beforeAll, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("the commands feedback merge and unmerge accept the numbers of threads", async () => {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write"],
    }),
  });
  const send = async (message: string) => {
    const { stdout } = await line.run(["feedback", "send", "--type", "bug", "--message", message]);
    return stdout.split("\n")[0] ?? "";
  };
  const [first, second] = [await send("It crashes."), await send("It closes.")];
  const run = (...args: string[]) => line.run(["feedback", ...args, "--app", app.id]);
  await run("list");
  const dry = await run("merge", "2", "1", "--dry-run");
  expect([dry.exit, dry.stdout]).toEqual([0, expect.stringContaining("/merge")]);
  const merged = await run("merge", "2", "#1");
  expect([merged.exit, merged.stderr]).toEqual([
    ...[0, expect.stringContaining(`Feedback ${second} is merged into ${first}.`)],
  ]);
  expect(merged.stdout).toContain("\nMerged from: #2 It closes.\n");
  expect(merged.stdout).toContain("-- Report of a merged thread");
  expect((await run("view", "2")).stdout).toBe((await run("view", "1")).stdout);
  expect((await run("events", "1")).stdout).toContain("#2");
  const again = await run("merge", second, "1");
  expect([again.exit, again.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("merged into another thread"),
  ]);
  expect(again.exit).not.toBe(0);
  const apart = await run("unmerge", "2");
  expect([apart.exit, apart.stderr]).toEqual([
    ...[0, expect.stringContaining(`Feedback ${second} is a separate thread again.`)],
  ]);
  expect((await run("view", "2")).stdout).toContain("It closes.");
  const none = await run("unmerge", "2");
  expect(none.exit).not.toBe(0);
  expect(none.stderr).toContain("not merged into another one");
});
