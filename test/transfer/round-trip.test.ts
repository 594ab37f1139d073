import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { receivedFile } from "../../src/contract/files.ts";
import { databases } from "../support/database/databases.ts";
import { png } from "../support/files/sample-files.ts";
import { fc } from "../support/property.ts";
import { type Service, startService } from "../support/service/service.ts";
import { rounds } from "../support/torture.ts";
import { fillThreads, makeOwnerWithOneOfEach } from "../support/worlds/owner-with-one-of-each.ts";
import {
  exportFile,
  importFile,
  type Line,
  linesIn,
  withoutIds,
} from "../support/worlds/transfer/app-file.ts";
import { asImported, hostileText, makeFullApp } from "../support/worlds/transfer/full-app.ts";

/** Some instants are replaced by that of the import. */
const timeless = (lines: readonly Line[]): Line[] =>
  withoutIds(lines).map((line) => ({
    ...line,
    ...(line.status === "removed" ? { endedAt: "-" } : {}),
    ...(line.decision === "expired" ? { decidedAt: "-" } : {}),
  }));

describe.each(databases)("an app that is exported and imported again, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("has the same content as before, except for ids", async () => {
    const world = await makeFullApp(service);
    const first = await exportFile(service, world.headers, world.app.id, true);
    const kinds = linesIn(first).map(({ type }) => type);
    for (const kind of [
      "upload",
      "picture",
      "claim",
      "progress",
      "failure",
      "namedThread",
      "testSession",
      "countedDay",
    ])
      expect(kinds).toContain(kind);
    const imported = await importFile(service, world.headers, first, "Second");
    expect(imported.status, imported.text).toBe(201);
    expect(imported.body).toMatchObject({ name: "Second", files: 1, filesLeftOut: 0 });
    const again = await exportFile(service, world.headers, imported.field("appId"), true);
    const expected = timeless(asImported(linesIn(first)));
    const named = expected.map((line) => (line.type === "app" ? { ...line, name: "Second" } : line));
    expect(timeless(linesIn(again))).toEqual(named);
  });

  it("has no files if the export had none, and the answer says how many are missing", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id);
    const imported = await importFile(service, world.headers, file);
    expect(imported.body).toMatchObject({ name: "Demo", files: 0, filesLeftOut: 3 });
    const again = linesIn(await exportFile(service, world.headers, imported.field("appId")));
    expect(again.map(({ type }) => type)).not.toContain("upload");
    expect(again.filter(({ images }) => images)).toEqual([]);
    const none = { images: [], videos: [], attachments: [] };
    for (const { files } of again.filter(({ type }) => type === "thread")) expect(files).toEqual(none);
  });

  it("is equal to the first app even after it is copied several times", async () => {
    const world = await makeFullApp(service);
    let appId = world.app.id;
    const copies: Line[][] = [];
    for (const _ of [1, 2]) {
      const file = await exportFile(service, world.headers, appId, true);
      appId = (await importFile(service, world.headers, file)).field("appId");
      copies.push(withoutIds(linesIn(await exportFile(service, world.headers, appId, true))));
    }
    expect(copies[1]).toEqual(copies[0]);
  });

  it("has all its texts unchanged", async () => {
    const world = await makeOwnerWithOneOfEach(service);
    const thread = fc.record({
      subject: hostileText,
      message: hostileText,
      senderName: fc.option(hostileText),
      metadata: fc
        .dictionary(hostileText, fc.jsonValue({ maxDepth: 3 }))
        .map((value) => JSON.stringify(value)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(thread, { minLength: 1, maxLength: 5 }), async (threads) => {
        const app = await service.makeApp(world.owner);
        await fillThreads(service, app.id, threads);
        const before = await exportFile(service, world.headers, app.id);
        const imported = await importFile(service, world.headers, before);
        expect(imported.status, imported.text).toBe(201);
        const after = await exportFile(service, world.headers, imported.field("appId"));
        expect(withoutIds(linesIn(after))).toEqual(withoutIds(linesIn(before)));
      }),
      { numRuns: rounds(6, 200) },
    );
  });

  it("shows the old authors as imported, and gives them no roles and no slots", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id, true);
    const other = await service.makeUser();
    const headers = await service.signIn(other);
    const appId = (await importFile(service, headers, file)).field("appId");
    const get = (path: string) => service.request("GET", `/api/v1/console${path}`, { headers });
    expect((await get(`/apps/${appId}/members`)).body).toMatchObject({ items: [{ userId: other.id }] });
    const { items } = Object((await get(`/apps/${appId}/feedback`)).body);
    const crash = items.find(({ occurrences }: { occurrences: number }) => occurrences === 2);
    expect((await get(`/feedback/${crash.id}`)).text).toContain(`${world.owner.email} (imported)`);
    expect((await get(`/audit?appId=${appId}&actor=${other.email}`)).body).toMatchObject({
      items: [{ action: "app.import" }],
    });
    expect((await get(`/audit?appId=${appId}`)).text).toContain(`${world.owner.email} (imported)`);
    expect(
      (await service.request("GET", `/api/v1/console/apps/${appId}`, { headers: world.headers })).status,
    ).toBe(404);
  });

  it("loses location data in files that an older server stored with the files", async () => {
    const world = await makeFullApp(service);
    const { database, files } = service.deps;
    const place = Buffer.from("Placetown");
    const bytes = Buffer.concat([png().bytes, place]);
    const draft = files.createTemporary(bytes.length);
    draft.write(bytes);
    const written = await draft.finishUnchanged();
    await files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
    await database.write((tx) =>
      tx.run(
        "UPDATE uploads SET sha256 = ?, size = ? WHERE app_id = ?",
        ...[written.sha256, written.size, world.app.id],
      ),
    );
    const file = await exportFile(service, world.headers, world.app.id, true);
    expect(file.includes(place)).toBe(true);
    const imported = await importFile(service, world.headers, file);
    expect(imported.status, imported.text).toBe(201);
    const copy = await exportFile(service, world.headers, imported.field("appId"), true);
    expect(copy.includes(place)).toBe(false);
    const [upload] = linesIn(copy).filter(({ type }) => type === "upload");
    const served = await fetch(`${service.baseUrl}/uploads/${upload?.name}`);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(
      Buffer.concat([png().bytes, Buffer.alloc(place.length)]),
    );
  });

  it("serves its files under new names, and keeps them if the first app is deleted", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id, true);
    const appId = (await importFile(service, world.headers, file)).field("appId");
    const copy = linesIn(await exportFile(service, world.headers, appId));
    const [upload] = copy.filter(({ type }) => type === "upload");
    await world.call("DELETE", `/apps/${world.app.id}`);
    const served = await fetch(`${service.baseUrl}/uploads/${upload?.name}`);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(linesIn(file).map(({ name }) => name)).not.toContain(upload?.name);
  });
});
