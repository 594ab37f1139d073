import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../../server/clock.ts";
import { copiedSecret } from "../../../../server/continuous/kept-beside.ts";
import { generationName } from "../../../../server/continuous/names.ts";
import { createFolderPlace } from "../../../../server/continuous/places/folder-place.ts";
import type { Place } from "../../../../server/continuous/places/place.ts";
import { createS3Place } from "../../../../server/continuous/places/s3-place.ts";
import { pointAt, restorable } from "../../../../server/continuous/restore-points.ts";
import { FilesUnavailable } from "../../../../server/files/files.ts";
import { createS3Client } from "../../../../server/files/s3/s3-client.ts";
import { s3At } from "../../../../server/settings/s3-settings.ts";
import { copiedDatabase, rebuilt } from "../../../support/continuous/copied-database.ts";
import { keepingOf } from "../../../support/continuous/keeping-of.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import {
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../../support/s3/object-store.ts";

const dayMs = 86_400_000;
const daysAgo = (days: number) => generationName(new Date(systemClock.now().getTime() - days * dayMs));

/** A place that carries out so many deletions of files, and refuses all others. */
interface FailingPlace {
  readonly place: Place;
  allow(deletions: number): void;
}

async function failingFolder(): Promise<FailingPlace> {
  const place = createFolderPlace(await temporaryFolder());
  let allowed = Number.POSITIVE_INFINITY;
  const remove = async (names: readonly string[]) => {
    const done = names.slice(0, allowed);
    allowed -= done.length;
    await place.remove(done);
    if (done.length < names.length) throw Object.assign(new Error("i/o error"), { code: "EIO" });
  };
  return {
    place: { ...place, remove },
    allow(deletions) {
      allowed = deletions;
    },
  };
}

let store: ObjectStore | undefined;
beforeAll(async () => {
  if (hasObjectStore) store = await startObjectStore();
});
afterAll(() => store?.remove());

async function failingStore(): Promise<FailingPlace> {
  const bucket = await store?.makeBucket("copies");
  const settings = s3At("INNKEEP_CONTINUOUS_BACKUP", bucket?.url ?? "", {});
  const send = createS3Client(settings);
  let allowed = Number.POSITIVE_INFINITY;
  const place = createS3Place(settings, async (request) => {
    if (request.method === "DELETE" && allowed-- <= 0)
      throw new FilesUnavailable(new Error("503 Service Unavailable"));
    return send(request);
  });
  return {
    place,
    allow(deletions) {
      allowed = deletions;
    },
  };
}

/** The files of a generation that a server has made. */
async function generationFiles(): Promise<Map<string, Buffer>> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "secret"), "the secret");
  const { database, copied, place, stop } = await copiedDatabase({ folder });
  for (let n = 0; n < 3; n++) {
    await copied();
    await database.write((tx) => tx.insert("deployment", { name: `row ${n}`, value: "x" }));
  }
  await copied();
  await stop();
  const [{ name = "" } = {}] = await restorable(place);
  const found = new Map<string, Buffer>();
  for (const file of (await place.list(`generations/${name}`)).files)
    found.set(file.name, await place.get(`generations/${name}/${file.name}`));
  return found;
}

const namesOf = async (place: Place, generation: string): Promise<string[]> =>
  (await place.list(`generations/${generation}`)).files.map(({ name }) => name);

describe.each([
  { kind: "a folder", make: failingFolder, isHere: true },
  { kind: `an S3 store (${needsObjectStore})`, make: failingStore, isHere: hasObjectStore },
])("an old generation in $kind", ({ make, isHere }) => {
  it.runIf(isHere)(
    "can be restored as a whole or counts as none, wherever its deletion ends, and is deleted later",
    async () => {
      const files = await generationFiles();
      for (let deletions = 0; deletions < files.size; deletions++) {
        const { place, allow } = await make();
        const [old, newer, last] = [daysAgo(9), daysAgo(3), daysAgo(0)];
        for (const generation of [old, newer, last])
          for (const [name, bytes] of files) await place.put(`generations/${generation}/${name}`, bytes);
        const { keeping, lines } = await keepingOf(place, { current: last });
        allow(deletions);
        await keeping.tidy();
        expect(lines.join("")).toContain("are not deleted: it is tried again");
        expect(await namesOf(place, old)).toHaveLength(files.size - deletions);
        const generations = await restorable(place);
        expect(generations.map(({ name }) => name)).toEqual(
          deletions > 0 ? [newer, last] : [old, newer, last],
        );
        for (const generation of generations) {
          expect(String(await copiedSecret(place, generation.name, []))).toBe("the secret");
          const point = pointAt([generation], undefined);
          if (point) await (await rebuilt(place, point)).close();
        }
        allow(Number.POSITIVE_INFINITY);
        // As a server that was killed and started again.
        await (await keepingOf(place, { current: last })).keeping.tidy();
        expect(await namesOf(place, old)).toEqual([]);
        expect(await namesOf(place, newer)).toEqual([...files.keys()]);
        expect(await namesOf(place, last)).toEqual([...files.keys()]);
      }
    },
  );
});

describe("a deletion that hangs", () => {
  it("keeps no change from being copied, and no server from stopping", async () => {
    const place = createFolderPlace(await temporaryFolder());
    await place.put(`generations/${daysAgo(9)}/0000000000.link`, Buffer.from("a part"));
    let deletions = 0;
    const remove = () => {
      deletions++;
      return new Promise<never>(() => {});
    };
    const { database, copied, stop } = await copiedDatabase({ place: { ...place, remove } });
    await copied();
    await expect.poll(() => deletions).toBe(1);
    await database.write((tx) => tx.insert("deployment", { name: "a row", value: "x" }));
    await copied();
    const point = pointAt(await restorable(place), undefined);
    if (!point) throw new Error("Nothing can be restored.");
    const row = await (await rebuilt(place, point)).get(
      "SELECT 1 AS one FROM deployment WHERE name = 'a row'",
    );
    expect(row).toEqual({ one: 1 });
    await stop();
  });
});
