import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dumpRows, replaceRows, type Table, tablesOf, withSnapshot } from "../../../server/backup/store.ts";
import { statistics } from "../../../server/feedback/statistics/store.ts";
import type { Statistics } from "../../../src/contract/statistics.ts";
import { databases } from "../../support/database/databases.ts";
import { removableFolder } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { exportFile, importFile, type Line, linesIn } from "../../support/worlds/transfer/app-file.ts";

const hour = 3_600_000;

async function* noRows(): AsyncGenerator<string[]> {}

/** An export with these lines, and a last line with the correct counts. */
function asFile(lines: readonly Line[]): string {
  const kept = lines.filter(({ type }) => type !== "end");
  const records: Record<string, number> = {};
  for (const { type } of kept.slice(1)) records[String(type)] = (records[String(type)] ?? 0) + 1;
  const text = kept.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ ...lines.at(-1), records, sha256 })}\n`;
}

describe.each(databases)("the statistics of an app on $name", (engine) => {
  let service: Service;
  let team: Team;
  let headers: Record<string, string>;
  beforeAll(async () => {
    service = await startService({ engine, still: true });
    team = await makeTeam(service);
    headers = await service.signIn(team.owner);
    service.clock.setOffset(Date.parse("2026-11-20T10:00:00Z") - Date.now());
    const report = { type: "bug", dedupeKey: "ci:sync", metadata: { appVersion: "2.4.0" } };
    const [thread, other, deleted] = [await send(report), await send(), await send({ type: "bug" })];
    service.clock.advance(26 * hour);
    await send(report);
    await change(thread, { status: "resolved" });
    service.clock.advance(26 * hour);
    await change(thread, { status: "open" });
    await call(`/feedback/${other}/messages`, { direction: "outbound", body: "Thank you." });
    await change(thread, { status: "resolved" });
    await change(other, { status: "resolved" });
    await change(other, { status: "archived" });
    await call(`/feedback/${deleted}/messages`, { direction: "outbound", body: "Thank you." });
    await change(deleted, { status: "resolved" });
    gone = deleted;
  });
  afterAll(() => service.stop());

  let gone = "";
  const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
  const call = (path: string, body: object) => team.call("POST", path, body);
  const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
  const read = async (at = team.at): Promise<Statistics> => {
    const answer = await team.call("GET", `${at}/statistics?from=2026-11-19&to=2026-11-24`);
    expect(answer.status).toBe(200);
    return Object(answer.body);
  };
  /** Without the ids, which an import changes. */
  const withoutIds = ({ top, ...rest }: Statistics) => ({
    ...rest,
    top: top.map(({ id: _, ...thread }) => thread),
  });

  it("stay equal when all counts are computed again from the threads and the audit", async () => {
    const before = await read();
    expect(before.perDay.map(({ resolved }) => resolved)).toEqual([0, 0, 0, 3, 0, 0]);
    await service.deps.database.write(async (tx) => {
      for (const table of ["report_counts", "measure_counts", "repeat_counts"])
        await tx.run(`DELETE FROM ${table}`);
      await statistics.countStored(tx, team.app.id);
    });
    expect(await read()).toEqual(before);
  });

  it("stay equal when the app is exported and imported, with the counts of deleted threads", async () => {
    await team.call("DELETE", `/feedback/${gone}`);
    const before = await read();
    const file = await exportFile(service, headers, team.app.id);
    const imported = await importFile(service, headers, file);
    expect(imported.status).toBe(201);
    const copy = `/apps/${imported.field("appId")}`;
    expect(withoutIds(await read(copy))).toEqual(withoutIds(before));
    const [thread] = (await read(copy)).top;
    await change(thread?.id ?? "", { status: "open" });
    expect((await read(copy)).perDay.map(({ resolved }) => resolved)).toEqual([0, 0, 0, 2, 0, 0]);
  });

  it("stay equal, except for deleted threads, when an app from an export without counts is imported", async () => {
    const lines = linesIn(await exportFile(service, headers, team.app.id)).filter(
      ({ type }) => !["reportCount", "measureCount", "repeatCount", "threadTimes"].includes(String(type)),
    );
    const imported = await importFile(service, headers, asFile(lines));
    expect(imported.status, imported.text).toBe(201);
    const answer = await read(`/apps/${imported.field("appId")}`);
    const before = await read();
    // The deleted thread is missing.
    expect(answer.perDay.map(({ resolved }) => resolved)).toEqual([0, 0, 0, 2, 0, 0]);
    expect(answer.top.map(({ count }) => count)).toEqual(before.top.map(({ count }) => count));
    expect(answer.versions).toEqual(before.versions);
  });

  it("stay equal when a backup is restored while triggers count the restored rows", async () => {
    const other = await startService({ engine });
    onTestFinished(() => other.stop());
    const scratch = await removableFolder();
    const before = await service.deps.database.all(
      "SELECT * FROM report_counts ORDER BY app_id, quarter, slot",
    );
    const measures = await service.deps.database.all(
      "SELECT * FROM measure_counts ORDER BY app_id, span, at, measure, slot",
    );
    await withSnapshot(service.deps.database, scratch.path, async (reader) => {
      const inBackup = new Set((await tablesOf(reader)).map(({ name }) => name));
      const rowsOf = (table: Table) => (inBackup.has(table.name) ? dumpRows(reader, table) : noRows());
      await other.deps.database.write((tx) => replaceRows(tx, rowsOf), "long");
    });
    const { database } = other.deps;
    expect(await database.all("SELECT * FROM report_counts ORDER BY app_id, quarter, slot")).toEqual(before);
    expect(
      await database.all("SELECT * FROM measure_counts ORDER BY app_id, span, at, measure, slot"),
    ).toEqual(measures);
    expect(await database.all("SELECT * FROM thread_times ORDER BY feedback_id")).toEqual(
      await service.deps.database.all("SELECT * FROM thread_times ORDER BY feedback_id"),
    );
  });
});
