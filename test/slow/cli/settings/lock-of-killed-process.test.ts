import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { innkeep } from "../../../support/programs/built-program.ts";
import { rounds } from "../../../support/torture.ts";

it("many processes that find the lock of a killed process all change the settings in sequence", async () => {
  const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
  for (let round = 0; round < rounds(2, 20); round += 1) {
    const folder = await temporaryFolder();
    const lock = join(folder, "innkeep.lock");
    await writeFile(lock, "");
    const past = new Date(Date.now() - 60_000);
    await utimes(lock, past, past);
    const env = { INNKEEP_CONFIG_DIR: folder, HOME: folder };
    const ran = await Promise.all(
      names.map((name) => innkeep(["config", "set", "app", name, "--profile", name], { env })),
    );
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
    const { profiles } = JSON.parse(await readFile(join(folder, "profiles.json"), "utf8"));
    expect(Object.keys(profiles).sort()).toEqual(names);
    expect((await readdir(folder)).filter((name) => name.startsWith("innkeep.lock"))).toEqual([]);
  }
});
