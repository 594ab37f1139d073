import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderPlace } from "../../../../server/continuous/places/folder-place.ts";
import type { Place } from "../../../../server/continuous/places/place.ts";
import { BrokenChain } from "../../../../server/continuous/rebuild-file.ts";
import { pointAt, pointBefore, restorable } from "../../../../server/continuous/restore-points.ts";
import type { Database } from "../../../../server/store/engine/database.ts";
import { copiedDatabase, rebuilt } from "../../../support/continuous/copied-database.ts";
import { eventually } from "../../../support/eventually.ts";
import { filesIn, temporaryFolder } from "../../../support/files/temporary-folder.ts";

/** A folder for copies that can refuse them, or keep every call waiting. */
async function stoppablePlace() {
  const place = createFolderPlace(await temporaryFolder());
  let state: "works" | "is full" | "hangs" = "works";
  let goOn = () => {};
  let hanging = Promise.resolve();
  const gate = async () => {
    if (state === "is full") throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    if (state === "hangs") await hanging;
  };
  const stoppable: Place = {
    ...place,
    put: (name, bytes) => gate().then(() => place.put(name, bytes)),
  };
  return {
    place: stoppable,
    become(next: typeof state) {
      goOn();
      state = next;
      hanging = new Promise((resolve) => {
        goOn = resolve;
      });
    },
  };
}

const addRows = async (database: Database, from: number, count: number) => {
  for (let n = from; n < from + count; n++)
    await database.write((tx) => tx.insert("deployment", { name: `row ${n}`, value: "x".repeat(3_000) }));
};

async function lastRows(place: Place): Promise<number> {
  const point = pointAt(await restorable(place), undefined);
  if (!point) throw new Error("Nothing can be restored.");
  const rows = await (await rebuilt(place, point)).all("SELECT name FROM deployment WHERE name LIKE 'row %'");
  return rows.length;
}

describe.each(["is full", "hangs"] as const)("a place of copies that %s", (fault) => {
  it("keeps no write waiting, and gets all of them once it works again", async () => {
    const { place, become } = await stoppablePlace();
    const { database, copied } = await copiedDatabase({ place });
    await copied();
    become(fault);
    await addRows(database, 0, 50);
    expect(await lastRows(place)).toBe(0);
    become("works");
    await copied();
    expect(await lastRows(place)).toBe(50);
    expect(await restorable(place)).toHaveLength(1);
  });

  it("ends the generation when the log gets too long, says so, and has a new generation later", async () => {
    const { place, become } = await stoppablePlace();
    const { database, copied, lines, file } = await copiedDatabase({ place, mostLogBytes: 400_000 });
    await copied();
    become(fault);
    await addRows(database, 0, 200);
    await eventually(() => expect(lines.join("")).toContain("the log has become too long"));
    await addRows(database, 200, 5);
    await database.emptyLog();
    expect((await readFile(`${file}-wal`)).length).toBe(0);
    become("works");
    await eventually(async () => expect(await restorable(place)).toHaveLength(2));
    await copied();
    expect(await lastRows(place)).toBe(205);
  });
});

describe("a place of copies that fails for a while", () => {
  it("is in the log and in the figures, not at each try", async () => {
    const { place, become } = await stoppablePlace();
    const { database, copied, lines, backup } = await copiedDatabase({ place });
    await copied();
    become("is full");
    await addRows(database, 0, 3);
    await eventually(() => expect(backup.status().failures).toBeGreaterThan(1));
    const before = backup.status().copiedAt;
    become("works");
    await copied();
    expect(Number(backup.status().copiedAt)).toBeGreaterThan(Number(before));
    expect(lines.filter((line) => line.includes("continuous backup failed"))).toHaveLength(1);
    await eventually(() => expect(lines.join("")).toContain("continuous backup works again"));
  });
});

describe("a chain of copies with a damaged or missing link", () => {
  const chain = async () => {
    const { database, copied, place, copies, stop } = await copiedDatabase();
    for (let n = 0; n < 4; n++) {
      await copied();
      await addRows(database, n, 1);
    }
    await copied();
    await stop();
    const generations = await restorable(place);
    const point = pointAt(generations, undefined);
    const [damaged] = point?.links.slice(-2) ?? [];
    if (!point || !damaged) throw new Error("There are too few links.");
    const path = (await filesIn(copies)).find((each) => each.endsWith(damaged.name)) ?? "";
    return { place, generations, point, damaged, path };
  };

  const expectNamed = async ({ place, generations, point, damaged }: Awaited<ReturnType<typeof chain>>) => {
    const failure = await rebuilt(place, point).catch((error) => error);
    expect(failure).toBeInstanceOf(BrokenChain);
    expect(failure.message).toContain(damaged.name);
    const before = pointBefore(generations, point, failure.link);
    if (!before) throw new Error("Nothing can be restored.");
    expect(before.at.getTime()).toBeLessThan(point.at.getTime());
    await rebuilt(place, before);
  };

  it("is named when a byte has changed, and the last instant before it can be restored", async () => {
    const found = await chain();
    const bytes = await readFile(found.path);
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    await writeFile(found.path, bytes);
    await expectNamed(found);
  });

  it("is named when it vanishes while it is read", async () => {
    const found = await chain();
    await rm(found.path);
    await expectNamed(found);
  });

  it("is noticed when it was missing before", async () => {
    const found = await chain();
    await rm(found.path);
    const point = pointAt(await restorable(found.place), undefined);
    const failure = await rebuilt(found.place, point ?? found.point).catch((error) => error);
    expect(failure.message).toContain("one is missing");
  });

  it("is not taken from another generation", async () => {
    const found = await chain();
    const other = await chain();
    await writeFile(found.path, await readFile(other.path));
    const failure = await rebuilt(found.place, found.point).catch((error) => error);
    expect(failure).toBeInstanceOf(BrokenChain);
  });
});

describe("an unfinished copy that a killed server has left", () => {
  it("is no link, and does not keep the next server from going on", async () => {
    const folder = await temporaryFolder();
    const first = await copiedDatabase({ folder });
    await first.copied();
    await addRows(first.database, 0, 2);
    await first.copied();
    await first.stop();
    const [link = ""] = (await filesIn(first.copies)).filter((path) => path.endsWith(".link"));
    await writeFile(`${link}.0123456789abcdef.unfinished`, "half a link");
    const second = await copiedDatabase({ folder });
    await second.copied();
    expect(second.lines.join("")).toContain("goes on");
    expect(await lastRows(second.place)).toBe(2);
    expect(await restorable(second.place)).toHaveLength(1);
    expect(join(folder, "copies")).toBe(second.copies);
  });
});
