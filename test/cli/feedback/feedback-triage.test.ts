import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OwnedThread } from "../../../src/contract/threads.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
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

describe("the commands feedback tag and untag", () => {
  it("change the tags of a thread, and the list can be filtered by tags", async () => {
    const { app, line, feedback, list, view } = await newApp();
    const [{ id }, other] = [await feedback("First"), await feedback("Second")];
    const tagged = await line.run(["feedback", "tag", id, "crash", "On Android"]);
    expect(tagged.stderr).toContain(`Feedback ${id} has the tags crash, On Android.`);
    await line.run(["feedback", "tag", other.id, "crash"]);
    const ids = async (...flags: string[]) =>
      (await list(...flags, "--fields", "id")).stdout.trim().split("\n");
    expect(await ids("--tag", "CRASH")).toEqual([other.id, id]);
    expect(await ids("--tag", "crash", "--tag", "on android")).toEqual([id]);
    expect((await list()).stdout).toContain("First\t\tcrash, On Android\t");
    expect((await line.run(["feedback", "view", id])).stdout).toContain("\nTags: crash, On Android\n");
    expect((await line.run(["feedback", "tags", "--app", app.id])).stdout).toBe(
      "crash\t2\t\nOn Android\t1\t\n",
    );
    const untagged = await line.run(["feedback", "untag", id, "crash", "on android"]);
    expect(untagged.stderr).toContain(`Feedback ${id} has no tags.`);
    expect((await view(id)).tags).toEqual([]);
  });

  it("name the fault of a tag", async () => {
    const { line, feedback } = await newApp();
    const { id } = await feedback("First");
    const { exit, stderr } = await line.run(["feedback", "tag", id, "a,b"]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("must not contain commas")]);
  });
});

describe("the command feedback assign", () => {
  it("sets the assignee of a thread, and the list can be filtered by assignee", async () => {
    const { app, line, feedback, list } = await newApp();
    const [{ id }, other] = [await feedback("First"), await feedback("Second")];
    const mine = await line.run(["feedback", "assign", id, "me"]);
    const [, email = ""] = /is assigned to (\S+)\.\n/.exec(mine.stderr) ?? [];
    const ids = async (who: string) => (await list("--assignee", who, "--fields", "id")).stdout.trim();
    expect([await ids("me"), await ids(email), await ids("none")]).toEqual([id, id, other.id]);
    const maria = await service.makeMember(app.id, "maintainer");
    await line.run(["feedback", "assign", id, maria.email]);
    const { stdout } = await line.run(["feedback", "view", id]);
    expect(stdout).toContain(`\nAssigned to: ${maria.email}\n`);
    expect((await line.run(["feedback", "assign", id, "none"])).stderr).toContain("is assigned to nobody.");
    const stranger = await line.run(["feedback", "assign", id, "nobody@example.org"]);
    expect([stranger.exit, stranger.stderr]).toEqual([
      2,
      expect.stringContaining("must be an owner or a maintainer of the app"),
    ]);
  });
});

describe("the command feedback snooze", () => {
  it("hides a thread until a time and shows it again, and the list can be filtered by it", async () => {
    const { line, feedback, list } = await newApp();
    const [{ id }, other] = [await feedback("First"), await feedback("Second")];
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const snoozed = await line.run(["feedback", "snooze", id, until]);
    expect(snoozed.stderr).toContain(`Feedback ${id} is snoozed until ${until}.`);
    const ids = async (flag: string) => (await list(flag, "--fields", "id")).stdout.trim();
    expect([await ids("--snoozed"), await ids("--no-snoozed")]).toEqual([id, other.id]);
    expect((await line.run(["feedback", "view", id])).stdout).toContain(`\nSnoozed until: ${until}\n`);
    expect((await line.run(["feedback", "snooze", other.id, "3d"])).stderr).toMatch(/is snoozed until 20/);
    expect((await line.run(["feedback", "snooze", id, "none"])).stderr).toContain("is not snoozed.");
    expect(await ids("--no-snoozed")).toBe(id);
    expect(await line.run(["feedback", "snooze", id, "soon"])).toMatchObject({ exit: 2 });
  });
});

describe("the command view", () => {
  it("saves, lists, changes and deletes filters, which the list of feedback accepts", async () => {
    const { app, line, feedback, list } = await newApp();
    const [{ id }, other] = [await feedback("First"), await feedback("Second")];
    await line.run(["feedback", "tag", id, "crash"]);
    const view = (...words: string[]) => line.run(["view", ...words, "--app", app.id]);
    expect((await view("create", "Crashes", "--query", "tag=crash", "--shared")).stderr).toContain(
      "Saved the view Crashes.",
    );
    const listed = (await view("list")).stdout;
    expect(listed).toContain("to_triage\tfixed\t2\tstatus=open&snoozed=false&order=activity\n");
    expect(listed).toContain("Crashes\tshared\t1\ttag=crash\n");
    const ids = async (...flags: string[]) => (await list(...flags, "--fields", "id")).stdout.trim();
    expect(await ids("--view", "Crashes")).toBe(id);
    expect(await ids("--view", "To triage")).toBe(`${other.id}\n${id}`);
    expect(await ids("--view", "To triage", "--tag", "crash")).toBe(id);
    expect(await list("--view", "None")).toMatchObject({ exit: 6 });
    await service.deps.database.write((tx) =>
      tx.run(`UPDATE saved_views SET query = '{"tag":"crash","status":"on_hold"}' WHERE app_id = ?`, app.id),
    );
    expect(await list("--view", "Crashes")).toMatchObject({
      ...{ exit: 2, stderr: expect.stringContaining("does not support these filters of the view Crashes") },
    });
    expect(await view("edit", "Crashes", "--name", "Falls")).toMatchObject({ exit: 0 });
    expect(await view("edit", "Falls")).toMatchObject({ exit: 2 });
    expect(await view("delete", "Falls", "--yes")).toMatchObject({ exit: 0 });
    expect((await view("list")).stdout).not.toContain("Falls");
  });
});
