import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { sqlite } from "../support/database/databases.ts";
import { type Service, startService } from "../support/service/service.ts";
import { exportFile, importFile } from "../support/worlds/transfer/app-file.ts";
import { makeFullApp } from "../support/worlds/transfer/full-app.ts";

describe("an import or an export that cannot go on", () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ engine: sqlite });
  });
  afterEach(() => service.stop());

  /** Lets the server delete what an import has stored, as if it were abandoned, after a statement of this import. */
  const stopImportAfter = (statement: string) =>
    service.deps.database.write((tx) =>
      tx.run(`CREATE TRIGGER stop_import AFTER ${statement} ON imports
        BEGIN DELETE FROM apps WHERE id = NEW.app_id; END`),
    );

  const stopped = {
    code: "busy",
    error: "The import was stopped, because it took too long. Nothing was imported. Import the file again.",
  };

  it("answers 503 if it was stopped while its records were stored, and not that the file is wrong (rule X5)", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id);
    await stopImportAfter("INSERT");
    const answer = await importFile(service, world.headers, file);
    expect(answer).toMatchObject({ status: 503, body: stopped });
    expect(answer.headers.get("retry-after")).toBe("30");
  });

  it("answers 503 if it was stopped while its files were stored, and not that the file is wrong (rule X5)", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id, true);
    const { database, files } = service.deps;
    const create = files.createTemporary;
    const removed: Promise<number>[] = [];
    vi.spyOn(files, "createTemporary").mockImplementation((limit) => {
      const removing = "DELETE FROM apps WHERE id IN (SELECT app_id FROM imports)";
      removed.push(database.write((tx) => tx.run(removing)));
      return create(limit);
    });
    expect(await importFile(service, world.headers, file)).toMatchObject({ status: 503, body: stopped });
    expect(await Promise.all(removed)).toEqual([0, 1]);
  });

  it("answers 503 if it was stopped before its end, and a repeat imports the file (rule X5)", async () => {
    const owner = await service.makeUser();
    const headers = await service.signIn(owner);
    const file = await exportFile(service, headers, (await service.makeApp(owner)).id);
    await stopImportAfter("UPDATE");
    const answer = await importFile(service, headers, file);
    expect(answer).toMatchObject({ status: 503, body: stopped });
    await service.deps.database.write((tx) => tx.run("DROP TRIGGER stop_import"));
    expect((await importFile(service, headers, file)).status).toBe(201);
  });

  it("answers 503 if the server stops, in the API and on the page (rule H29)", async () => {
    const world = await makeFullApp(service);
    service.beginStop();
    const path = `/api/v1/console/apps/${world.app.id}/export`;
    const answer = await service.request("GET", path, { headers: world.headers });
    expect(answer.status, answer.text).toBe(503);
    expect(answer.body).toMatchObject({
      code: "busy",
      error: expect.stringContaining("The server is stopping"),
    });
    expect(answer.headers.get("retry-after")).toBe("2");
    const person = createBrowserWithoutScripts(service, world.headers);
    const page = await person.open(`/console/data/${world.app.id}/download`);
    expect(page.status).toBe(503);
    expect(readingOf(page)).toContain("The server is stopping");
  });
});
