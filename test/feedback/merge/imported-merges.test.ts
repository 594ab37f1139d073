import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { exportFile, importFile, type Line, linesIn } from "../../support/worlds/transfer/app-file.ts";

/** Returns the file of these lines, with a last line that fits them. */
function fileOf(lines: readonly Line[]): string {
  const records: Record<string, number> = {};
  for (const { type } of lines)
    if (type !== "export") records[String(type)] = (records[String(type)] ?? 0) + 1;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ type: "end", records, missingFiles: 0, sha256 })}\n`;
}

describe.each(databases)("an import of merged threads on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  const make = async () => {
    const app = await makeAppWithSenders(service);
    const send = async (body: object) => (await app.report(body)).field("id");
    const exported = async (types: readonly string[]) =>
      linesIn(await exportFile(service, app.person, app.appId)).filter(({ type }) =>
        types.includes(String(type)),
      );
    return { app, send, exported };
  };

  /** An app in which each of `depth` threads was merged into the next one, with a reply to everyone from each. */
  const chainOf = async (depth: number) => {
    const { app, send, exported } = await make();
    const [into, from] = [await send({}), await send({ message: "Twice." })];
    await app.console("POST", `/feedback/${from}/merge`, { into });
    await app.reply(into, { everyone: true });
    const lines = await exported(["export", "app", "member", "thread", "message", "merge"]);
    const one = (type: string, fits: (line: Line) => boolean = () => true) =>
      lines.find((line) => line.type === type && fits(line)) ?? {};
    const [target, gone] = [one("thread", ({ id }) => id === into), one("thread", ({ id }) => id === from)];
    const [report, reply] = [
      one("message", ({ id }) => id === from),
      one("message", (line) => line.everyone === true),
    ];
    const step = one("merge");
    const ids = Array.from({ length: depth }, () => randomUUID());
    return {
      app,
      file: fileOf([
        ...lines.filter(({ type }) => ["export", "app", "member"].includes(String(type))),
        { ...target, number: 1, occurrences: depth + 1 },
        ...ids.map((id, at) => ({ ...gone, id, number: at + 2, mergedInto: into })),
        ...ids.flatMap((id, at) => [
          { ...report, id, feedbackId: into, originId: id },
          { ...step, feedbackId: id, intoId: ids[at + 1] ?? into, number: at + 1 },
          { ...reply, id: randomUUID(), beforeMerge: null, originId: id },
        ]),
      ]),
    };
  };

  it("accepts a chain of merges up to the limit, and each merge can be undone", async () => {
    const { app, file } = await chainOf(limits.mergeDepth);
    const imported = await importFile(service, app.person, file);
    expect(imported.status, imported.text).toBe(201);
    const { items } = Object((await app.console("GET", `/apps/${imported.field("appId")}/feedback`)).body);
    const read = Object((await app.console("GET", `/feedback/${items[0].id}`)).body);
    expect(read.merged).toHaveLength(limits.mergeDepth);
    const last = read.merged.at(-1).id;
    const apart = Object((await app.console("POST", `/feedback/${last}/unmerge`)).body);
    expect([apart.merged.length, apart.feedback.occurrences]).toEqual([
      limits.mergeDepth - 1,
      limits.mergeDepth,
    ]);
  });

  it("refuses a longer chain of merges (rule F46)", async () => {
    const { app, file } = await chainOf(limits.mergeDepth + 1);
    const refused = await importFile(service, app.person, file);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("follow each other")]);
  });

  it.each([
    ["files", { files: null }],
    ["metadata", { metadata: null }],
    ["the direction of a report", { direction: "note", author: "team" }],
  ])("refuses a repeat without %s (rule X7)", async (_, change) => {
    const { app, send, exported } = await make();
    for (const message of ["Once.", "Twice."]) await send({ message, dedupeKey: "sync" });
    const lines = await exported(["export", "app", "member", "thread", "message"]);
    const changed = lines.map((line) => (line.type === "message" ? { ...line, ...change } : line));
    const refused = await importFile(service, app.person, fileOf(changed));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("category")]);
    expect((await importFile(service, app.person, fileOf(lines))).status).toBe(201);
  });
});
