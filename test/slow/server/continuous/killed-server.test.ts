import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolderPlace } from "../../../../server/continuous/places/folder-place.ts";
import {
  pointAt,
  type RestorableGeneration,
  restorable,
} from "../../../../server/continuous/restore-points.ts";
import { integrityFaults } from "../../../../server/store/deployment/integrity.ts";
import { rebuilt } from "../../../support/continuous/copied-database.ts";
import { eventually } from "../../../support/eventually.ts";
import { quickFolder } from "../../../support/files/quick-folder.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { type ChildProgram, childProgram } from "../../../support/programs/child-program.ts";
import { rounds } from "../../../support/torture.ts";

const kills = rounds(6, 60);

let copiedLoad: ChildProgram;
beforeAll(async () => {
  copiedLoad = await childProgram(join(import.meta.dirname, "../../../support/continuous/copied-load.ts"));
});
afterAll(() => copiedLoad.remove());

const lastOf = (generations: readonly RestorableGeneration[]): number =>
  Math.max(0, ...generations.flatMap(({ instants }) => instants.map((at) => at.getTime())));

describe("a server that is killed while it copies its changes", () => {
  it(`goes on copying after each of ${kills} kills, and every instant can be restored`, {
    timeout: 600_000,
  }, async () => {
    const folder = await temporaryFolder(quickFolder);
    const place = createFolderPlace(join(folder, "copies"));
    const acknowledged = new Map<string, number>();
    const wanted: Date[] = [];
    for (let round = 0; round < kills; round++) {
      const before = lastOf(await restorable(place));
      const order = {
        file: join(folder, "innkeep.db"),
        files: join(folder, "files"),
        copies: join(folder, "copies"),
      };
      const server = copiedLoad.start({ LOAD: JSON.stringify({ ...order, name: `round ${round}` }) });
      await server.printed(20 + (round % 5) * 37);
      await eventually(async () => expect(lastOf(await restorable(place))).toBeGreaterThan(before));
      await server.kill();
      for (const line of server.lines) {
        const [, id = "", at = ""] = /^(.*) (\d+)$/.exec(line) ?? [];
        acknowledged.set(id, Number(at));
      }
      wanted.push(new Date(lastOf(await restorable(place))));
    }
    const generations = await restorable(place);
    for (const at of wanted) {
      const point = pointAt(generations, at);
      if (!point) throw new Error("An instant cannot be restored.");
      const restored = await rebuilt(place, point);
      expect(await integrityFaults(restored)).toEqual([]);
      const names = await restored.all<{ name: string }>("SELECT name FROM deployment");
      const present = new Set(names.map(({ name }) => name));
      const lost = [...acknowledged].filter(([id, then]) => then < point.at.getTime() && !present.has(id));
      expect(lost).toEqual([]);
      await restored.close();
    }
  });
});
