import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Place } from "../../../../server/continuous/places/place.ts";
import { pointAt, type RestorePoint, restorable } from "../../../../server/continuous/restore-points.ts";
import { integrityFaults } from "../../../../server/store/deployment/integrity.ts";
import type { Database } from "../../../../server/store/engine/database.ts";
import { nodeSqliteDriver } from "../../../../server/store/engine/drivers/node-sqlite.ts";
import { type OpenOptions, openDatabase } from "../../../../server/store/engine/open.ts";
import { copiedDatabase, rebuilt } from "../../../support/continuous/copied-database.ts";
import { quickFolder } from "../../../support/files/quick-folder.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { randomFrom, runSeed } from "../../../support/random-seed.ts";
import { rounds } from "../../../support/torture.ts";

/** A write, when it was asked for, and when it was acknowledged. */
interface Write {
  readonly id: string;
  readonly askedAt: number;
  readonly acknowledgedAt: number;
}

const drivers: { name: string; driver: "sqlite3" | "node-sqlite" }[] = [
  { name: "sqlite3", driver: "sqlite3" },
  ...(nodeSqliteDriver() ? [{ name: "node:sqlite", driver: "node-sqlite" as const }] : []),
];
const points = rounds(12, 200);

/** What happens to the log beside the load: most of it between the copies of two points. */
const disturbances = [
  "nothing",
  "nothing",
  "an erasure",
  "another process",
  "a long read",
  "a restart",
] as const;

describe.each(drivers)("a database whose changes are copied under load, with $name", ({ driver }) => {
  it(`is restored to ${points} instants, each with all that was acknowledged before it, and nothing later`, {
    timeout: 1_200_000,
  }, async () => {
    const random = randomFrom(runSeed);
    const folder = await temporaryFolder(quickFolder);
    const start = () => copiedDatabase({ folder, open: { driver }, writeBackFrames: 200 });
    let server = await start();
    await makeTables(server.database);
    const writes: Write[] = [];
    let load = startLoad(server.database, { random, writes });
    const wanted: Date[] = [];
    for (let n = 0; n < points; n++) {
      await sleep(random() * 60);
      const what = disturbances[Math.floor(random() * disturbances.length)];
      if (what === "an erasure") await server.database.emptyLog();
      if (what === "another process") await writeElsewhere(server.file, { driver, random, writes });
      if (what === "a long read") void server.database.snapshot(() => sleep(random() * 300));
      if (what === "a restart") {
        await load.stop();
        await server.stop();
        server = await start();
        load = startLoad(server.database, { random, writes });
      }
      await server.copied();
      wanted.push(new Date());
    }
    await load.stop();
    await server.stop();
    const generations = await restorable(server.place);
    for (const at of wanted) await expectRestored(server.place, pointAt(generations, at), writes);
    const generationsMade = generations.length;
    process.stdout.write(`${writes.length} writes, ${generationsMade} generations\n`);
  });
});

async function expectRestored(place: Place, point: RestorePoint | undefined, writes: readonly Write[]) {
  if (!point) throw new Error("An instant cannot be restored.");
  const restored = await rebuilt(place, point);
  expect(await integrityFaults(restored)).toEqual([]);
  const present = await idsIn(restored);
  const instant = point.at.getTime();
  const lost = writes.filter(({ id, acknowledgedAt }) => acknowledgedAt < instant && !present.has(id));
  const early = writes.filter(({ id, askedAt }) => askedAt > instant && present.has(id));
  expect({ lost, early }).toEqual({ lost: [], early: [] });
  await restored.close();
}

/** Another connection to the same file, which writes the log back by itself. */
async function writeElsewhere(file: string, { driver, ...load }: Load & Pick<OpenOptions, "driver">) {
  const other = await openDatabase({ file }, { driver });
  for (let n = 0; n < 5; n++) await writeOne(other, load);
  await other.emptyLog();
  await writeOne(other, load);
  await other.close();
}

async function makeTables(database: Database): Promise<void> {
  await database.write(async (tx) => {
    for (const table of ["left_halves", "right_halves"])
      await tx.run(`CREATE TABLE ${table} (id TEXT PRIMARY KEY, content TEXT NOT NULL)`);
  });
}

interface Load {
  readonly random: () => number;
  /** The acknowledged writes. */
  readonly writes: Write[];
}

/** Eight writers at once. */
function startLoad(database: Database, load: Load) {
  let stopped = false;
  const writer = async () => {
    while (!stopped) {
      await writeOne(database, load);
      await sleep(load.random() * 80);
    }
  };
  const running = Promise.all(Array.from({ length: 8 }, writer));
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Writes both halves of a row, of any size. */
async function writeOne(database: Database, { random, writes }: Load): Promise<void> {
  const id = randomUUID();
  // A test that takes long on a slow machine must not fill its disk.
  const length = writes.length < 5_000 ? Math.floor(random() ** 4 * 10_000) : 0;
  const askedAt = Date.now();
  await database.write(async (tx) => {
    for (const table of ["left_halves", "right_halves"])
      await tx.insert(table, { id, content: "x".repeat(length) });
  });
  writes.push({ id, askedAt, acknowledgedAt: Date.now() });
}

async function idsIn(database: Database): Promise<Set<string>> {
  const ids = async (table: string) =>
    (await database.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
  const left = await ids("left_halves");
  expect(await ids("right_halves")).toEqual(left);
  return new Set(left);
}
