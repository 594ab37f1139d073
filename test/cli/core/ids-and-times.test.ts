import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortened } from "../../../src/cli/core/ids.ts";
import { relativeTime } from "../../../src/cli/core/output.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createTesterCommandLine } from "../../support/worlds/tester-command-line.ts";

const ids = [
  "01a1fda4-237d-759b-ad89-7cf5663516dc",
  "01a1fda4-335d-7457-848d-a03caceeefed",
  "02b1fda4-335d-7457-848d-a03caceeefed",
];

/** An app whose FAQ has one entry for each id. */
async function app() {
  const asked: string[] = [];
  const faqs = ids.map((id, at) => ({ id, question: `Question ${at}?`, answer: "A.", sortOrder: at }));
  const baseUrl = await listen(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.end(JSON.stringify(method === "GET" ? faqs : faqs[0]));
  });
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" });
  return { line, asked };
}

describe("the beginning of an id", () => {
  it("identifies the only entry whose id begins with it", async () => {
    const { line, asked } = await app();
    expect((await line.run(["faq", "view", "02B1", "--raw", "question"])).stdout).toBe("Question 2?");
    await line.run(["faq", "edit", "01a1fda4-2", "--answer", "B."]);
    await line.run(["faq", "delete", "02b1", "--yes"]);
    expect(asked.filter((request) => !request.startsWith("GET"))).toEqual([
      `PATCH /api/v1/faqs/remote/${ids[0]}`,
      `DELETE /api/v1/faqs/remote/${ids[2]}`,
    ]);
  });

  it("is refused if several ids match, which are listed, and nothing changes", async () => {
    const { line, asked } = await app();
    expect(await line.run(["faq", "delete", "01a1fda4", "--yes"])).toMatchObject({
      exit: 2,
      stderr: `error: 2 ids start with 01a1fda4.\nGive more characters of the id:\n  ${ids[0]}  Question 0?\n  ${ids[1]}  Question 1?\n`,
    });
    expect(asked).toEqual(["GET /api/v1/faqs/remote"]);
  });

  it("is reported if no id matches", async () => {
    const { line } = await app();
    expect(await line.run(["faq", "edit", "ffff", "--answer", "B."])).toMatchObject({
      exit: 6,
      stderr: "error: There is no FAQ entry ffff.\n`innkeep faq list` lists all.\n",
    });
  });

  it("causes no search if it is a complete id", async () => {
    const { line, asked } = await app();
    await line.run(["faq", "edit", ids[0] ?? "", "--answer", "B."]);
    expect(asked).toEqual([`PATCH /api/v1/faqs/remote/${ids[0]}`]);
  });
});

describe("a list on a terminal", () => {
  it("shortens ids while they stay different, and shows complete ids in a pipe", async () => {
    const { line } = await app();
    const shown = (await line.run(["faq", "list", "--no-color"], { terminal: true })).stdout;
    expect(shown.split("\n").map((row) => row.split(" ")[0])).toEqual([
      ...["ID", "01a1fda4-2", "01a1fda4-3", "02b1fda4-3", ""],
    ]);
    expect((await line.run(["faq", "list"])).stdout).toContain(`${ids[0]}\t`);
    const fields = ["faq", "list", "--fields", "id"];
    expect((await line.run(fields, { terminal: true })).stdout).toContain(ids[0]);
  });

  it.each([
    [["01a1fda4-237d-759b-ad89-7cf5663516dc"], ["01a1fda4"]],
    [[], []],
    [
      ["7", "7"],
      ["7", "7"],
    ],
    [
      [ids[0] ?? "", ids[0] ?? ""],
      ["01a1fda4", "01a1fda4"],
    ],
  ])("shortens the ids %j to %j", (whole, short) => {
    expect(shortened(whole)).toEqual(short);
  });

  it.each([
    ["2026-11-21T11:59:30.000Z", "now"],
    ["2026-11-21T11:55:00Z", "5 min ago"],
    ["2026-11-21T09:00:00.000Z", "3 h ago"],
    ["2026-11-09T12:00:00.000Z", "12 d ago"],
    ["2026-09-01T12:00:00.000Z", "2026-09-01"],
    ["2026-11-21T15:59:00.000Z", "in 4 h"],
    ["2026-11-22T11:00:00.000Z", "in 23 h"],
    ["2026-11-23T11:00:00.000Z", "in 2 d"],
    ["2026-11-21", "2026-11-21"],
    ["no time", "no time"],
  ])("shows the time %s as %s", (instant, words) => {
    expect(relativeTime(instant, new Date("2026-11-21T12:00:00Z"))).toBe(words);
  });
});

describe("a command with a server", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** A maintainer whose app has one thread. */
  async function maintainer() {
    const owner = await service.makeUser();
    const made = await service.makeApp(owner);
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_API_KEY: made.key,
      INNKEEP_APP: made.id,
      INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", {
        scopes: ["feedback:read", "feedback:write"],
      }),
    });
    const sent = await line.run(["feedback", "send", "--type", "bug", "--message", "It broke.", "--json"]);
    return { line, id: String(Object(sent.json()).id) };
  }

  it("finds feedback by the beginning of its id, and shows it in a table of 80 columns", async () => {
    const { line, id } = await maintainer();
    expect((await line.run(["feedback", "view", id.slice(0, 13), "--raw", "feedback.id"])).stdout).toBe(id);
    expect((await line.run(["feedback", "edit", id.slice(0, 8), "--status", "resolved"])).exit).toBe(0);
    expect((await line.run(["feedback", "note", id.slice(0, 8), "--body", "Seen."])).exit).toBe(0);
    const { stdout } = await line.run(["feedback", "list", "--no-color"], { terminal: true });
    const [heading = "", row = "", end] = stdout.split("\n");
    expect([heading.slice(0, 8), row.slice(0, 8), end]).toEqual(["ID      ", id.slice(0, 8), ""]);
    expect(row).toContain("  now  ");
  });

  it.each(["yesterday", "2026-11-21 09:00", "2026-13-01", "2026-11-21T09:00:00"])(
    "refuses --from %s with the right form before any request",
    async (given) => {
      const { line } = await maintainer();
      expect(await line.run(["feedback", "list", "--from", given])).toMatchObject({
        exit: 2,
        stderr: `error: --from must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z, not "${given}".\n`,
      });
    },
  );

  it("reports a fault that the server finds with the name of the flag or argument", async () => {
    const { line, id } = await maintainer();
    const asked = await line.run(["feedback", "edit", id, "--github-issue-url", "nowhere"]);
    expect(asked.exit).toBe(2);
    expect(asked.stderr).toMatch(/^error: One value is wrong:\n {2}--github-issue-url must /);
    const json = await line.run(["feedback", "list", "--limit", "many", "--json"]);
    expect(JSON.parse(json.stderr)).toMatchObject({ code: "bad_request", issues: [{ path: "--limit" }] });
  });

  it("reports a fault in an argument with its name in the help, and reports an unknown field unchanged", async () => {
    const issues = ["cycleId", "body.screens"].map((path) => ({ path, message: "is wrong" }));
    const answer = JSON.stringify({
      code: "bad_request",
      error: "Correct the fields named in `issues`.",
      issues,
    });
    const baseUrl = await listen((_, response) => void response.writeHead(400).end(answer));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    expect((await line.run(["testing", "cycle", "view", "7"])).stderr).toBe(
      "error: 2 values are wrong:\n  <cycle> is wrong\n  body.screens is wrong\n",
    );
  });

  it("needs no slot from a tester with one slot, or accepts the beginning of its id", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    const rotate = (...argv: string[]) => line.run(["slot", "rotate-key", ...argv, "--json"]);
    expect((await rotate()).json()).toMatchObject({ slot: { slotId } });
    expect((await rotate(slotId.slice(0, -1))).json()).toMatchObject({ slot: { slotId } });
  });

  it("tells a tester without a slot that there is none", async () => {
    const { authorization } = await service.makeDevice(await service.makeUser());
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_DEVICE_TOKEN: authorization.slice("Bearer ".length),
    });
    expect(await line.run(["slot", "rotate-key"])).toMatchObject({
      exit: 2,
      stderr: "error: You have no slot now.\n`innkeep slot list --open` shows free slots.\n",
    });
  });
});
