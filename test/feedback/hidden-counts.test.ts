import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { changesSince, unreadCounts } from "../../server/feedback/unread/store/news.ts";
import { databases } from "../support/database/databases.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam, type Team } from "../support/worlds/members/team.ts";
import { exportFile, importFile, linesIn } from "../support/worlds/transfer/app-file.ts";

const sender = "eve@example.org";
const nothing = {
  ...{ report: 0, repeat: 0, answer: 0, note: 0, reply: 0 },
  ...{ proposal: 0, decision: 0, outcome: 0, edit: 0 },
};

describe.each(databases)("a message of a blocked sender, on $name,", (engine) => {
  let service: Service;
  let team: Team;
  beforeEach(async () => {
    service = await startService({ engine });
    onTestFinished(() => service.stop());
    team = await makeTeam(service);
  });

  const report = (body: object = {}) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": team.app.key },
      body: { type: "bug", message: "Buy zebras now.", ...body },
    });
  const block = async (): Promise<string> =>
    String((await team.call("POST", `${team.at}/blocked-senders`, { kind: "address", sender })).field("id"));
  const answerOn = async (statusUrl: unknown, answer: string) => {
    const path = new URL(String(statusUrl)).pathname;
    const page = await service.request("GET", path, { headers: { accept: "text/html" } });
    const once = /name="once" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    const form = { accept: "text/html", origin: service.baseUrl };
    const headers = { ...form, "content-type": "application/x-www-form-urlencoded" };
    await service.request("POST", path, { headers, body: new URLSearchParams({ once, answer }).toString() });
  };
  const unread = async () =>
    (await unreadCounts(service.deps.database, team.owner.id)).map((row) => Number(row.unread));
  const changes = async (since: string) =>
    (await changesSince(service.deps.database, { appId: team.app.id, userId: team.owner.id, since })).counts;
  const inbox = async (): Promise<string[]> => {
    const { body } = await team.call("GET", `${team.at}/feedback?order=activity`);
    return Object(body).items.map(({ id }: { id: string }) => id);
  };
  const readAll = async () => {
    for (const id of await inbox()) await team.call("PUT", `/feedback/${id}/read`, { read: true });
  };

  /** A thread that Eve and others reported. Then Eve is blocked, and sends everything that a sender can send. */
  async function hiddenRows() {
    const shared = await report({ dedupeKey: "crash" });
    const own = await report({ email: sender, message: "Before the block." });
    const tagged = { addTags: ["shop"] };
    await team.call("PATCH", `/feedback/${shared.field("id")}`, tagged);
    const blockId = await block();
    const since = service.clock.now().toISOString();
    service.clock.advance(60_000);
    const alone = await report({ email: sender, images: [dataUrl(png(1_000))] });
    const image = dataUrl(png(2_000));
    await report({ email: sender, dedupeKey: "crash", message: "Hidden repeat.", images: [image] });
    await answerOn(own.field("statusUrl"), "Hidden answer.");
    await answerOn(alone.field("statusUrl"), "Hidden, too.");
    await report({ dedupeKey: "crash", message: "Seen repeat." });
    return { since, blockId, shared: shared.field("id"), own: own.field("id"), alone: alone.field("id") };
  }

  it("is not counted in the changes since the last visit, in unread threads, in the order of the inbox and in tags", async () => {
    await report({ message: "Read." });
    const { since, blockId, shared, own, alone } = await hiddenRows();
    expect(await changes(since)).toEqual({ ...nothing, repeat: 1 });
    // The three visible threads, once each.
    expect(await unread()).toEqual([3]);
    expect(await inbox()).not.toContain(alone);
    const { items } = Object((await team.call("GET", `${team.at}/tags`)).body);
    expect(items).toMatchObject([{ name: "shop", threads: 1 }]);

    expect((await team.call("DELETE", `/blocked-senders/${blockId}`)).status).toBe(204);
    expect(await changes(since)).toEqual({ ...nothing, report: 1, repeat: 2, answer: 2 });
    expect(await inbox()).toEqual(expect.arrayContaining([shared, own, alone]));
  });

  it("is not in an export of the app, and its files are not either", async () => {
    const { shared, alone } = await hiddenRows();
    const headers = await service.signIn(team.owner);
    const lines = linesIn(await exportFile(service, headers, team.app.id));
    const text = JSON.stringify(lines);
    expect(text).toContain(shared);
    for (const hidden of [alone, "Hidden", "zebras.png"])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    expect(lines.filter((line) => Object(line).type === "upload")).toEqual([]);
    const whole = await exportFile(service, headers, team.app.id, true);
    const imported = await importFile(service, headers, whole);
    expect([imported.status, imported.text]).toEqual([201, expect.anything()]);
  });

  it("does not keep a resolved thread from the retention", async () => {
    const own = await report({ email: sender, message: "Before the block." });
    await team.call("PATCH", `/feedback/${own.field("id")}`, { status: "resolved" });
    await block();
    service.clock.advance(9 * 86_400_000);
    await answerOn(own.field("statusUrl"), "Hidden answer.");
    await report({ email: sender, message: "Hidden report." });
    const headers = await service.signIn(team.owner);
    const path = `/api/v1/console${team.at}/retention?days=5`;
    expect((await service.request("GET", path, { headers })).body).toEqual({ threads: 1, more: false });
  });

  it("does not hide the answer of another sender, which is first in the inbox, unread and in the changes", async () => {
    const first = await report({ email: "ada@example.org", message: "Mine." });
    service.clock.advance(60_000);
    const second = await report({ message: "Newer." });
    await readAll();
    const since = service.clock.now().toISOString();
    service.clock.advance(60_000);
    await answerOn(first.field("statusUrl"), "It happens again.");
    expect(await inbox()).toEqual([first.field("id"), second.field("id")]);
    expect(await changes(since)).toEqual({ ...nothing, answer: 1 });
    const { body } = await team.call("GET", `${team.at}/feedback?order=activity&unread=true`);
    expect(Object(body).items.map(({ id }: { id: string }) => id)).toEqual([first.field("id")]);
  });
});
