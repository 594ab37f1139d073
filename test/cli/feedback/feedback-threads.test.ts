import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OwnedThread } from "../../../src/contract/threads.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function newApp() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write"],
    }),
  });
  const feedback = async (message: string, ...flags: string[]) => {
    const { stdout } = await line.run(["feedback", "send", "--type", "bug", "--message", message, ...flags]);
    const [id = "", consoleUrl = ""] = stdout.split("\n");
    return { id, consoleUrl };
  };
  const view = async (id: string) =>
    OwnedThread.parse((await line.run(["feedback", "view", id, "--json"])).json());
  const list = (...flags: string[]) => line.run(["feedback", "list", "--app", app.id, ...flags]);
  return { app, line, feedback, view, list };
}

describe("the command feedback list", () => {
  it("prints complete tab-separated values in a pipe, the newest thread first", async () => {
    const { feedback, list } = await newApp();
    const first = await feedback("First", "--name", "Ada");
    const second = await feedback("Second");
    const { stdout } = await list();
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.split("\t"));
    expect(
      rows.map(([id, , status, type, times, from, , subject]) => [id, status, type, times, from, subject]),
    ).toEqual([
      [second.id, "open", "bug", "1", "", "Second"],
      [first.id, "open", "bug", "1", "Ada", "First"],
    ]);
  });

  it("reads all pages with --all", async () => {
    const page = (id: string, nextCursor: string | null) => answers(200, { items: [{ id }], nextCursor });
    const { baseUrl, received } = await startRecordingServer(page("1", "c"), page("2", null));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    const app = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
    const ran = await line.run(["feedback", "list", "--app", app, "--all", "--json"]);
    expect(ran.json()).toMatchObject({ items: [{ id: "1" }, { id: "2" }], nextCursor: null });
    expect(received).toHaveLength(2);
    expect((await line.run(["feedback", "list", "--all", "--limit", "5"])).exit).toBe(2);
  });

  it("prints a table on a terminal", async () => {
    const { app, line, feedback } = await newApp();
    await feedback("First");
    const { stdout } = await line.run(["feedback", "ls", "--app", app.id, "--no-color"], { terminal: true });
    expect(stdout.split("\n")[0]).toMatch(/^ID +CREATED +STATUS/);
  });

  it("prints columns for assignees and tags on a terminal if a thread has one", async () => {
    const { app, line, feedback } = await newApp();
    const { id } = await feedback("First");
    const headings = async () => {
      const list = ["feedback", "list", "--app", app.id, "--no-color"];
      return (await line.run(list, { terminal: true })).stdout;
    };
    expect(await headings()).not.toMatch(/TAGS|ASSIGNEE/);
    await line.run(["feedback", "tag", id, "sync"]);
    expect(await headings()).toMatch(/TAGS/);
    expect(await headings()).not.toMatch(/ASSIGNEE/);
  });

  it("can show the last active thread first, and what is unread", async () => {
    const { feedback, list, line } = await newApp();
    const first = await feedback("First");
    await feedback("Second");
    await line.run(["feedback", "note", first.id, "--body", "Seen."]);
    const rows = (await list("--order", "activity")).stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t").slice(2, 4))).toEqual([
      ["unread", "open"],
      ["unread", "open"],
    ]);
    expect(rows[0]).toMatch(new RegExp(`^${first.id}\t\\d{4}-.*\tFirst\t\t\t\\d+$`));
    const { stdout } = await list("--unread", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        { subject: "First", unread: true, lastMessage: { direction: "note", text: "Seen." } },
        { subject: "Second" },
      ],
    });
  });

  it("can show the thread without activity for the longest time first, page by page", async () => {
    const { feedback, list, line } = await newApp();
    const first = await feedback("First");
    await feedback("Second");
    await feedback("Third");
    await line.run(["feedback", "note", first.id, "--body", "Seen."]);
    const subjects = ["Second", "Third", "First"];
    const { stdout } = await list("--order", "oldest_activity");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .flatMap((row) => row.split("\t").slice(2, 3)),
    ).toEqual(subjects.map(() => "unread"));
    const page = JSON.parse((await list("--order", "oldest_activity", "--limit", "1", "--json")).stdout);
    expect(page).toMatchObject({ items: [{ subject: "Second" }] });
    const rest = await list("--order", "oldest_activity", "--cursor", page.nextCursor, "--json");
    expect(JSON.parse(rest.stdout)).toMatchObject({ items: [{ subject: "Third" }, { subject: "First" }] });
  });

  it("can filter, search and read page by page", async () => {
    const { feedback, list, line } = await newApp();
    const first = await feedback("The map is upside down");
    await feedback("The list is empty");
    await line.run(["feedback", "edit", first.id, "--status", "resolved", "--category", "question"]);
    const ids = async (...flags: string[]) => (await list(...flags, "--fields", "id")).stdout.trim();
    expect(await ids("--status", "resolved")).toBe(first.id);
    expect(await ids("--type", "question")).toBe(first.id);
    expect(await ids("--q", "upside")).toBe(first.id);
    expect(await ids("--to", "2020-01-01")).toBe("");
    const page = await list("--limit", "1");
    const [, cursor = ""] = /--cursor (\S+)/.exec(page.stderr) ?? [];
    expect(await ids("--limit", "1", "--cursor", cursor)).toBe(first.id);
  });

  it("prints the cursor of the next page with --json", async () => {
    const { feedback, list } = await newApp();
    await feedback("One");
    expect((await list("--json")).json()).toMatchObject({ items: [{ subject: "One" }], nextCursor: null });
  });

  it("names the values that a filter accepts", async () => {
    const { list } = await newApp();
    const { exit, stderr } = await list("--status", "opne");
    expect(exit).toBe(2);
    expect(stderr).toContain("open, in_progress, resolved, archived");
  });
});

describe("the command feedback view", () => {
  it("shows the thread with its sender, and finds it by its console link", async () => {
    const { line, feedback } = await newApp();
    const flags = ["--name", "Ada", "--email", "ada@example.org", "--source", "ci", "--metadata", "os=linux"];
    const { consoleUrl } = await feedback("It broke.\nTwice.", ...flags);
    const { stdout } = await line.run(["feedback", "view", `${consoleUrl}?tab=notes#end`]);
    expect(stdout).toContain(
      `${consoleUrl}\nNumber: #1\nReported by the public: It broke.\nApp: Pocket Atlas\nStatus: open, bug\nFrom: Ada <ada@example.org>, `,
    );
    expect(stdout).toContain("\nSource: ci\n> os: linux\n\n> It broke.\n> Twice.\n");
  });

  it("names the metadata that was dropped, and shows only different values of a repeat", async () => {
    const { app, line } = await newApp();
    const send = (metadata: object) =>
      service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": app.key },
        body: { type: "bug", message: "It broke.", dedupeKey: "oven", metadata },
      });
    const id = (await send({ env: { os: "linux", node: "22" }, gone: 1 })).field("id");
    await send({ env: { os: "linux", node: null }, log: "x".repeat(17_000) });
    const { stdout } = await line.run(["feedback", "view", id]);
    const facts =
      '> env: {"node":null}\n> gone: not in this report\nMetadata that was dropped: log (too large)\n';
    expect(stdout).toContain(facts);
  });

  it("shows each repeat with its own sender, facts and files", async () => {
    const { app, line, feedback } = await newApp();
    const { id } = await feedback("Build 1 failed.", "--dedupe-key", "build", "--name", "Ada");
    const again = {
      ...{ type: "question", message: "Build 2 failed.", dedupeKey: "build", name: "Grace", source: "ci" },
      ...{ subject: "Again", metadata: { run: 2 }, images: [dataUrl(png())] },
    };
    const headers = { "x-api-key": app.key };
    await service.request("POST", "/api/v1/feedback/remote", { headers, body: again });
    const { stdout } = await line.run(["feedback", "view", id]);
    expect(stdout).toMatch(
      /\n-- Reported again, [^\n]+\nFrom: Grace\nReport: \S+\nType: question\nSubject: Again\nSource: ci\n> run: 2\nFile: \S+\/uploads\/\S+\n> Build 2 failed\./,
    );
  });

  it("shows no terminal control characters", async () => {
    const { line, feedback } = await newApp();
    const { id } = await feedback("red \u001b[31m alert \u202e");
    expect((await line.run(["feedback", "view", id], { terminal: true })).stdout).toMatch(
      /> red {2}alert \n/,
    );
  });

  it("changes commands of a CI service so that they have no effect, only in a CI job", async () => {
    const { line, feedback } = await newApp();
    const { id } = await feedback("Broken\n\n::set-output name=x::y\n  ::error::No\n##[error]No ##vso[task]");
    const view = ["feedback", "view", id];
    expect((await line.run(view)).stdout).toContain("##[error]No ##vso[task]");
    expect((await line.run(view, { env: { GITHUB_ACTIONS: "true" } })).stdout).toContain(
      "> Broken\n> \n> ::set-output name=x::y\n>   ::error::No\n> # #[error]No # #vso[task]\n",
    );
  });

  it("ends with exit code 6 for an unknown thread", async () => {
    const { line } = await newApp();
    expect(await line.run(["feedback", "view", "0197b3a0-0000-7000-8000-000000000000"])).toMatchObject({
      exit: 6,
    });
  });
});

describe("the commands that change a thread", () => {
  it("change only the given fields", async () => {
    const { line, feedback, view } = await newApp();
    const { id } = await feedback("Map");
    const issue = "https://github.com/example/app/issues/7";
    await line.run(["feedback", "edit", id, "--status", "in_progress", "--github-issue-url", issue]);
    expect((await view(id)).feedback).toMatchObject({
      status: "in_progress",
      category: "bug",
      githubIssueUrl: issue,
    });
    await line.run(["feedback", "edit", id, "--github-issue-url", ""]);
    expect((await view(id)).feedback).toMatchObject({ status: "in_progress", githubIssueUrl: null });
  });

  it("need a change", async () => {
    const { line } = await newApp();
    const { exit, stderr } = await line.run(["feedback", "edit", "0197b3a0-0000-7000-8000-000000000000"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("--status, --category, --subject or --github-issue-url");
  });

  it.each([
    ["reply", "outbound"],
    ["note", "note"],
  ])("add a %s from standard input as a message of the kind %s", async (verb, direction) => {
    const { line, feedback, view } = await newApp();
    const { id } = await feedback("Map");
    const ran = await line.run(["feedback", verb, id, "--body", "-", "--json"], {
      stdin: "Fixed in 1.4.0\n",
    });
    expect(ran.json()).toMatchObject({ direction, body: "Fixed in 1.4.0" });
    expect((await view(id)).messages.at(-1)).toMatchObject({ direction, body: "Fixed in 1.4.0" });
  });

  it.each([
    ["edit", ["--status", "resolved"]],
    ["reply", ["--body", "Hi"]],
    ["note", ["--body", "Hi"]],
  ])("show the request of %s with --dry-run, and change nothing", async (verb, flags) => {
    const { line, feedback, view } = await newApp();
    const { id } = await feedback("Map");
    const before = await view(id);
    const ran = await line.run(["feedback", verb, id, ...flags, "--dry-run"]);
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining(`/api/v1/console/feedback/${id}`) });
    expect(await view(id)).toEqual(before);
  });
});

describe("the command feedback similar", () => {
  it("lists threads that share rare words, and these words", async () => {
    const { line, feedback } = await newApp();
    await feedback("Walnuts vanish from the shopping list after a sync.");
    const { id } = await feedback("The shopping list loses walnuts after each sync.");
    const { stdout } = await line.run(["feedback", "similar", id]);
    expect(stdout).toMatch(/^#1\topen\tWalnuts vanish from the shopping list after a sync\.\t.*walnuts/);
    const asJson = await line.run(["feedback", "similar", id, "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      items: [{ number: 1, shared: expect.arrayContaining(["walnuts", "shopping"]) }],
    });
  });
});
