import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MissingCopy } from "../../../../server/continuous/places/place.ts";
import { createS3Place } from "../../../../server/continuous/places/s3-place.ts";
import { pointAt, restorable } from "../../../../server/continuous/restore-points.ts";
import { s3At } from "../../../../server/settings/s3-settings.ts";
import { copiedDatabase, rebuilt } from "../../../support/continuous/copied-database.ts";
import {
  type Bucket,
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../../support/s3/object-store.ts";

const placeIn = ({ url }: Bucket) => createS3Place(s3At("INNKEEP_CONTINUOUS_BACKUP", url, {}));

describe.runIf(hasObjectStore)(`copies in an S3 store (${needsObjectStore})`, () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store?.remove());

  it("are stored, listed by folders, read and deleted", async () => {
    const place = placeIn(await store.makeBucket("copies"));
    for (const name of ["deployment", "a/2", "a/1", "a/b/3"]) await place.put(name, Buffer.from(name));
    const { files, folders } = await place.list("a");
    expect({ files: files.map(({ name }) => name), folders }).toEqual({ files: ["1", "2"], folders: ["b"] });
    expect((await place.list("")).folders).toEqual(["a"]);
    expect(String(await place.get("a/b/3"))).toBe("a/b/3");
    await place.remove(["a/1"]);
    await place.remove(["a/1", "a/2"]);
    await expect(place.get("a/2")).rejects.toThrow(MissingCopy);
    await expect(place.get("a/1")).rejects.toThrow(MissingCopy);
  });

  it("keep no write waiting while the store hangs, and miss nothing when it goes on", async () => {
    const place = placeIn(await store.makeBucket());
    const { database, copied, backup } = await copiedDatabase({ place });
    await copied();
    store.hang();
    for (let n = 0; n < 30; n++)
      await database.write((tx) => tx.insert("deployment", { name: `row ${n}`, value: "x" }));
    const { copiedAt } = backup.status();
    store.goOn();
    await copied();
    expect(Number(backup.status().copiedAt)).toBeGreaterThan(Number(copiedAt));
    const point = pointAt(await restorable(place), undefined);
    if (!point) throw new Error("Nothing can be restored.");
    const rows = await (await rebuilt(place, point)).all(
      "SELECT name FROM deployment WHERE name LIKE 'row %'",
    );
    expect(rows).toHaveLength(30);
  });
});
