import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the command feedback search", () => {
  let service: Service;
  let environment: Record<string, string>;
  const ids: string[] = [];
  beforeAll(async () => {
    service = await startService();
    const owner = await service.makeUser();
    for (const name of ["Larder", "Cellar"]) {
      const app = await service.makeApp(owner, { name });
      ids.push(await sendFeedback(service, app.key, { subject: name, message: "The zebra sleeps." }));
    }
    const token = await service.makeToken(owner, "maintainer", { scopes: ["feedback:read"] });
    environment = { INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token };
  });
  afterAll(() => service.stop());

  const run = async (argv: readonly string[]) => (await createCommandLine(environment)).run(argv);

  it("finds the threads of all apps, the newest first, with the line that matched", async () => {
    const { exit, stdout, stderr } = await run(["feedback", "search", "zebra", "sleeps"]);
    expect(exit).toBe(0);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([id, app]) => [id, app])).toEqual([
      [ids[1], "Cellar"],
      [ids[0], "Larder"],
    ]);
    expect(rows[0]?.at(-1)).toBe("report: The zebra sleeps.");
    expect(stderr).toContain("open 2, in_progress 0, resolved 0, archived 0");
  });

  it("reads all pages with --all, and the app with --app", async () => {
    const all = await run(["feedback", "search", "zebra", "--all", "--json"]);
    expect(Object(all.json()).items).toHaveLength(2);
    const one = await run(["feedback", "search", "zebra", "--limit", "1", "--json"]);
    expect(Object(one.json())).toMatchObject({ items: [{ id: ids[1] }], search: { counts: { open: 2 } } });
    expect((await run(["feedback", "search", "zebra", "--all", "--limit", "1"])).exit).toBe(2);
  });

  it("names the limit of a query that is too long", async () => {
    const { exit, stderr } = await run(["feedback", "search", "word ".repeat(60).trim()]);
    expect(exit).not.toBe(0);
    expect(stderr).toContain("q must have at most 200 characters");
  });

  it("proposes a correction of a word", async () => {
    const { stdout, stderr } = await run(["feedback", "search", "zebar"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("Did you mean: zebra");
  });

  it("names an operator with an unknown value", async () => {
    const { stderr } = await run(["feedback", "search", "is:gone"]);
    expect(stderr).toContain(
      "is:gone is not a known filter, so the search looked for these words. Possible: is:open, is:in-progress,",
    );
  });

  it.each([
    ["zebra OR horse", "The search looks for OR as ordinary words,"],
    ["zebra AND NOT horse", "The search looks for AND, NOT as ordinary words,"],
  ])("says what it does with %s", async (query, hint) => {
    expect((await run(["feedback", "search", query])).stderr).toContain(hint);
  });

  it.each(['"zebra OR horse"', "IT DOES NOT START", "zebra or horse"])(
    "says nothing about %s",
    async (query) => {
      expect((await run(["feedback", "search", query])).stderr).not.toContain("as ordinary words");
    },
  );
});
