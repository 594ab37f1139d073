import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tarHeader } from "../../../server/files/tar.ts";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import * as sample from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import {
  fillThreads,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";
import { exportFile, importFile, type Line, linesIn } from "../../support/worlds/transfer/app-file.ts";
import { makeFullApp } from "../../support/worlds/transfer/full-app.ts";

/** Returns a file with these lines. The counts and the hash in its last line are correct. */
function fileOf(lines: readonly (Line | string)[]): string {
  const kept = lines.filter((line) => typeof line === "string" || line.type !== "end");
  const text = kept.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const records: Record<string, number> = {};
  for (const line of kept.slice(1)) {
    const type = typeof line === "string" ? "?" : String(line.type);
    records[type] = (records[type] ?? 0) + 1;
  }
  const end = {
    type: "end",
    records,
    missingFiles: 0,
    sha256: createHash("sha256").update(text).digest("hex"),
  };
  return `${text}${JSON.stringify(end)}\n`;
}

const entry = (name: string, bytes: Uint8Array) =>
  Buffer.concat([tarHeader(name, bytes.length), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
const tar = (...entries: readonly Uint8Array[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The rows of all tables that an import fills, and of imports that are running. */
const counted = ["apps", "feedback", "messages", "runs", "uploads", "imports", "audit", "imported_people"];

describe.each(databases)("a hostile file to import, on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let lines: Line[];
  let archive: Buffer;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeFullApp(service);
    archive = await exportFile(service, world.headers, world.app.id, true);
    lines = linesIn(await exportFile(service, world.headers, world.app.id));
  });
  afterAll(() => service.stop());

  const rows = async () => {
    const counts: Record<string, number> = {};
    for (const table of counted) {
      const found = await service.deps.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
      counts[table] = Number(found?.n);
    }
    return counts;
  };

  /** Sends a file, expects that it is refused, and that nothing is left. Returns what is wrong in it. */
  const refused = async (file: string | Uint8Array): Promise<string> => {
    const before = await rows();
    const answer = await importFile(service, world.headers, file);
    expect([answer.status, Object(answer.body).code], answer.text).toEqual([400, "bad_request"]);
    expect(await rows()).toEqual(before);
    return Object(answer.body)
      .issues.map(({ message }: { message: string }) => message)
      .join(" | ");
  };

  const at = (type: string) => lines.findIndex((line) => line.type === type);
  const changed = (type: string, change: object) =>
    fileOf(lines.map((line, index) => (index === at(type) ? { ...line, ...change } : line)));
  const rest = (size: number) => archive.subarray(512 + size + ((512 - (size % 512)) % 512));
  const linesSize = () => Number.parseInt(archive.toString("latin1", 124, 136), 8);

  it("gives nobody on this server an act, and tells nobody's name", async () => {
    const stranger = await service.makeUser();
    const strange = await service.signIn(stranger);
    const body = { name: "Mary Somerville" };
    await service.request("PATCH", "/api/v1/console/me", { headers: strange, body });
    const [act] = lines.filter(({ type }) => type === "audit");
    const [thread] = lines.filter(({ type }) => type === "thread");
    const token = `${stranger.email}, token ${crypto.randomUUID()}`;
    const actors = [stranger.email, token, `${stranger.email}, token x`, `${token} (imported)`];
    const acts = actors.map((actor, at) => ({
      ...{ ...act, id: `01a22500-0000-7000-8000-00000000000${at}`, actor, target: thread?.id },
      ...{ action: "thread.update", changes: [{ field: "status", from: "open", to: "resolved" }] },
    }));
    const at = lines.findIndex(({ type }) => type === "audit");
    const { headers } = world;
    const file = fileOf([...lines.slice(0, at), ...acts, ...lines.slice(at)]);
    const imported = await importFile(service, headers, file);
    expect(imported.status, imported.text).toBe(201);
    const get = (path: string) => service.request("GET", `/api/v1/console${path}`, { headers });
    const appId = imported.field("appId");
    // A person who is a member of the app did nothing in it, either.
    await service.deps.database.write((tx) =>
      tx.run(
        "INSERT INTO app_members (app_id, user_id, role, created_at) VALUES (?, ?, 'viewer', ?)",
        ...[appId, stranger.id, service.clock.now().toISOString()],
      ),
    );
    const { items } = Object((await get(`/audit?appId=${appId}&action=thread.update`)).body);
    const found = items.filter(({ actor }: { actor: string }) => actor.startsWith(stranger.email));
    expect(found).toHaveLength(actors.length);
    for (const { actor, actorName } of found) {
      expect(actor).toMatch(/ \(imported\)$/);
      expect(actorName).toBeNull();
    }
    const events = await get(`/feedback/${found[0].target}/events`);
    const of = Object(events.body).items.filter(({ by }: { by: string }) => by?.startsWith(stranger.email));
    expect(of).toHaveLength(actors.length);
    for (const { by, byName } of of) expect([by, byName]).toEqual([`${stranger.email} (imported)`, null]);
  });

  it("is refused immediately if its bytes have another form", async () => {
    expect(await refused("hello")).toContain("not an export");
    expect(await refused(sample.png().bytes)).toContain("not an export");
    expect(await refused("{")).toContain("incomplete");
    expect(await refused(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))).toContain("line 1: is not UTF-8");
    expect(await refused(`${"[".repeat(2_000_000)}\n`.replace("[", "{"))).toContain(
      "line 1: is nested deeper",
    );
    expect(await refused(`{"type":"export","x":"${"a".repeat(9_000_000)}"}\n`)).toContain(
      "line 1: has more than",
    );
  });

  it("is refused with the reason if it is of a future version", async () => {
    expect(await refused(changed("export", { format: 2 }))).toContain("line 1: has the format 2");
    expect(await refused(fileOf([...lines, { type: "hologram" }]))).toContain('unknown type "hologram"');
  });

  it("is refused if it is incomplete or was changed", async () => {
    const file = fileOf(lines);
    expect(await refused(file.slice(0, -5))).toContain("incomplete");
    expect(await refused(file.slice(0, file.lastIndexOf("\n", file.length - 2) + 1))).toContain("last line");
    expect(await refused(file.replace("It broke.", "It brake."))).toContain(
      "does not match the hash of the lines before it",
    );
    expect(await refused(`${file}{"type":"faq"}\n`)).toContain("after the end of the export");
  });

  it.each([
    ["thread", { status: "lost" }, "`status` must be one of"],
    ["thread", { subject: "a\u0000b" }, "`subject` must not contain NUL"],
    ["thread", { message: "a\ud800" }, "`message` must not contain NUL"],
    ["thread", { metadata: "x" }, "`metadata` must be an object"],
    ["thread", { id: "1; DROP TABLE apps" }, "`id` must be an id"],
    ["thread", { extra: 1 }, "`extra` is unknown"],
    ["thread", { githubIssueUrl: "javascript:alert(1)" }, "`githubIssueUrl` must be a web address"],
    [
      "thread",
      { files: { images: [{ upload: "../../x" }], videos: [], attachments: [] } },
      "`files` must be",
    ],
    ["claim", { outcomeLinks: ["javascript:alert(1)"] }, "`outcomeLinks` must be a list of addresses"],
    ["releaseNote", { items: [{ type: "fixed", text: 1 }] }, "`items` must be a list"],
    ["upload", { mediaType: "text/html" }, "`mediaType` must be one of"],
    ["upload", { sha256: "../../../etc/passwd" }, "`sha256` must be a SHA-256"],
    ["cycle", { dayStarts: [] }, "`dayStarts` must have"],
    ["cycle", { timezone: "Moon/Sea" }, "`timezone` must be a time zone"],
    ["app", { name: "" }, "`name` must be the name of an app"],
    ["tag", { name: "cr\u202eash" }, "`name` must be the name of a tag"],
    ["tag", { name: "crash,slow" }, "`name` must be the name of a tag"],
    ["tag", { name: " " }, "`name` must be the name of a tag"],
    ["tag", { name: "cras\u200bh" }, "`name` must be the name of a tag"],
    ["tag", { name: "cafe\u0301" }, "`name` must be the name of a tag"],
    ["tag", { colour: "url(evil)" }, "`colour` must be one of"],
    ["blockedSender", { kind: "everybody" }, "`kind` must be one of"],
  ])("causes an error with the line of a %s with %j", async (type, change, fault) => {
    const found = await refused(changed(type, change));
    expect(found).toContain(`line ${at(type) + 1}: `);
    expect(found).toContain(fault);
  });

  it("causes an error with all faults up to a maximum number", async () => {
    const faulty = lines.map((line) => (line.type === "slot" ? { ...line, seat: -1 } : line));
    expect((await refused(fileOf(faulty))).split(" | ").length).toBeGreaterThan(10);
  });

  it("causes an error with the line of a record that is repeated or belongs to no other record", async () => {
    const faq = lines.findIndex(({ type }) => type === "faq");
    const twice = await refused(fileOf([...lines.slice(0, -1), { ...lines[faq] }]));
    expect(twice).toBe(`line ${lines.length}: the faq occurs twice.`);
    const orphan = { ...lines[at("message")], id: crypto.randomUUID(), feedbackId: world.threadId };
    const without = lines.filter(({ type }) => ["export", "app"].includes(String(type)));
    expect(await refused(fileOf([...without, orphan]))).toBe(
      "line 3: the message refers to a record that does not come before it in the file.",
    );
  });

  it("cannot contain merges that contradict each other", async () => {
    const threads: string[] = [];
    for (const message of ["A", "B", "C"])
      threads.push(await sendFeedback(service, world.app.key, { message }));
    const [one = "", two = "", three = ""] = threads;
    await world.call("POST", `/feedback/${two}/merge`, { into: one });
    await world.call("POST", `/feedback/${one}/merge`, { into: three });
    const merged = linesIn(await exportFile(service, world.headers, world.app.id));
    expect((await importFile(service, world.headers, fileOf(merged))).status).toBe(201);
    const forged = (type: string, of: string, change: object) =>
      fileOf(
        merged.map((line) =>
          line.type === type && [line.id, line.feedbackId].includes(of) ? { ...line, ...change } : line,
        ),
      );
    for (const file of [
      forged("merge", one, { intoId: two }),
      forged("merge", one, { number: 1 }),
      forged("thread", one, { mergedInto: two }),
      forged("thread", one, { mergedInto: crypto.randomUUID() }),
      forged("thread", one, { mergedInto: null, status: "open" }),
      fileOf(merged.filter((line) => line.type !== "merge")),
    ])
      expect(await refused(file)).toBe("the merges of its threads contradict each other.");
    await world.call("DELETE", `/feedback/${three}`);
  });

  it("cannot add to the app of somebody else, and cannot read its files", async () => {
    const stranger = await service.makeUser();
    const headers = await service.signIn(stranger);
    const before = await exportFile(service, world.headers, world.app.id);
    const copy = await importFile(service, headers, fileOf(lines));
    expect(copy.status).toBe(201);
    const own = linesIn(await exportFile(service, headers, copy.field("appId")));
    // The file has hashes of files, but not their bytes.
    expect(own.some(({ type }) => type === "upload")).toBe(false);
    const now = linesIn(await exportFile(service, world.headers, world.app.id));
    const kept = (all: Line[]) =>
      all.filter(({ type }) => !["export", "audit", "end"].includes(String(type)));
    expect(kept(now)).toEqual(kept(linesIn(before)));
  });

  it("contains no valid approval after the import: an agent finds no approved work", async () => {
    const runId = String(lines[at("run")]?.id);
    const stranger = await service.makeUser();
    const headers = await service.signIn(stranger);
    const forged = lines
      .filter(({ type, outcomeStatus }) => type !== "progress" && outcomeStatus === undefined)
      .map((line) =>
        line.type === "run" ? { ...line, status: line.id === runId ? "approved" : "rejected" } : line,
      );
    const copy = await importFile(service, headers, fileOf(forged));
    expect(copy.status, copy.text).toBe(201);
    const agent = { authorization: `Bearer ${await service.makeToken(stranger, "agent")}` };
    const runs = await service.request("GET", "/api/v1/agent/runs?status=approved", { headers: agent });
    expect(runs.body).toMatchObject({ items: [] });
  });

  it("is refused as an archive with other names, kinds or orders of entries", async () => {
    const size = linesSize();
    const head = archive.subarray(0, archive.length - rest(size).length);
    const picture = rest(size).subarray(512, 512 + sample.png().bytes.length);
    const good = entry(`files/${sha256(picture)}`, picture);
    expect((await importFile(service, world.headers, tar(head, good))).status).toBe(201);
    const link = Buffer.from(good);
    link.write("2", 156);
    for (const bad of [
      entry("files/../../../../tmp/evil", picture),
      entry("/etc/passwd", picture),
      entry(`files/${sha256(picture)}.png`, picture),
      link,
    ])
      expect(await refused(tar(head, bad))).toContain("is not from an export");
    expect(await refused(tar(head, good, good))).toContain("twice");
    expect(await refused(tar(head))).toContain("records name 1 file, but the archive contains 0");
    expect(await refused(Buffer.concat([tar(head, good), Buffer.alloc(512)]))).toContain("after its end");
    expect(await refused(tar(head, good).subarray(0, -700))).toContain("incomplete");
    const other = sample.gif().bytes;
    expect(
      await refused(tar(head, ...[good, entry(`files/${sha256(other)}`, other)].sort(byName))),
    ).toContain("not named by a record");
    const html = Buffer.from("<script>".padEnd(picture.length));
    expect(await refused(tar(head, entry(`files/${sha256(picture)}`, html)))).toContain(
      "differs from the hash in its name",
    );
    // A header may contain any size.
    expect(await refused(tar(head, tarHeader(`files/${sha256(picture)}`, 8_000_000_000)))).toContain(
      "incomplete",
    );
  });

  it("is refused if the content of its files does not match", async () => {
    const html = Buffer.from("<script>alert(1)</script>");
    const upload = lines.findIndex(({ type }) => type === "upload");
    const forged = fileOf([
      { ...lines[0], files: true },
      ...lines
        .slice(1)
        .filter(({ type }, index) => type !== "upload" || index + 1 === upload)
        .map((line) =>
          line.type === "upload" ? { ...line, sha256: sha256(html), size: html.length } : line,
        ),
    ]);
    const file = tar(entry("export.ndjson", Buffer.from(forged)), entry(`files/${sha256(html)}`, html));
    expect(await refused(file)).toContain("is not of the type image/png");
  });
});

const byName = (one: Buffer, other: Buffer) => Buffer.compare(one.subarray(0, 100), other.subarray(0, 100));

describe("a file with very many merges", () => {
  it("cannot contain more merges into one thread than the server allows", async () => {
    const service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    onTestFinished(() => service.stop());
    const team = await makeTeam(service);
    const into = await sendFeedback(service, team.app.key, { message: "The oldest" });
    const other = await sendFeedback(service, team.app.key, { message: "Another" });
    await fillThreads(service, team.app.id, Array(limits.mergedThreads + 1).fill({}));
    const others = "FROM feedback WHERE app_id = ? AND id NOT IN (?, ?)";
    await service.deps.database.write(async (tx) => {
      await tx.run(
        `INSERT INTO thread_merges (feedback_id, app_id, into_id, number, status, tags, merged_at, merged_by)
         SELECT id, app_id, CAST(? AS TEXT), 1, 'open', '[]', created_at, CAST(? AS TEXT) ${others}`,
        ...[into, team.owner.id, team.app.id, into, other],
      );
      await tx.run(
        `UPDATE feedback SET status = 'blocked', merged_into = ? WHERE id IN (SELECT id ${others})`,
        ...[into, team.app.id, into, other],
      );
    });
    const merged = await team.call("POST", `/feedback/${other}/merge`, { into });
    expect([merged.status, merged.field("code")]).toEqual([409, "wrong_state"]);
    const headers = await service.signIn(team.owner);
    const imported = await importFile(service, headers, await exportFile(service, headers, team.app.id));
    expect(imported.field("error")).toContain("more than 10000 of its threads are merged into one thread.");
  });
});
