import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertFreeSpace, inScratch } from "../../../server/backup/scratch.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const foldersIn = async (parent: string) =>
  (await readdir(parent)).filter((name) => name !== "verify.lock").map((name) => join(parent, name));

describe("a temporary place for a verification", () => {
  it("is a separate folder, which is deleted after the work, even if the work fails", async () => {
    const parent = join(await temporaryFolder(), "new");
    const name = await inScratch(parent, async (folder) => {
      await writeFile(join(folder, "scratch.db"), "rows");
      expect(await foldersIn(parent)).toEqual([folder]);
      return folder;
    });
    expect(name.startsWith(parent)).toBe(true);
    await expect(inScratch(parent, () => Promise.reject(new Error("full")))).rejects.toThrow("full");
    expect(await foldersIn(parent)).toEqual([]);
  });

  it("of a killed process is deleted by the next verification", async () => {
    const parent = await temporaryFolder();
    const left = join(parent, "verify-aB3xYz");
    await mkdir(left);
    await writeFile(join(left, "scratch.lock"), "");
    await writeFile(join(left, "scratch.db"), "half a database");
    await inScratch(parent, async () => expect(await foldersIn(parent)).not.toContain(left));
  });

  it("leads to no deletion of files of a person in the same folder with a similar name", async () => {
    const parent = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    await writeFile(join(elsewhere, "scratch.db"), "of somebody else");
    await writeFile(join(parent, "verify-notes.txt"), "notes");
    await writeFile(join(parent, "verify-abcdef"), "a file");
    for (const name of ["verify-results", "verify-result"]) {
      await mkdir(join(parent, name));
      await writeFile(join(parent, name, "monday.txt"), "all is well");
    }
    await symlink(elsewhere, join(parent, "verify-linked"));
    const before = await readdir(parent);
    await inScratch(parent, async () => undefined);
    expect((await readdir(parent)).filter((name) => name !== "verify.lock")).toEqual(before);
    expect(await readdir(join(parent, "verify-result"))).toEqual(["monday.txt"]);
    expect(await readdir(elsewhere)).toEqual(["scratch.db"]);
  });

  it("is not deleted while it is in use", async () => {
    const parent = await temporaryFolder();
    await inScratch(parent, async (first) => {
      await inScratch(parent, async (second) =>
        expect((await foldersIn(parent)).sort()).toEqual([first, second].sort()),
      );
      expect(await foldersIn(parent)).toEqual([first]);
    });
  });

  it("leads to no deletion of other files in the same folder", async () => {
    const parent = await temporaryFolder();
    await writeFile(join(parent, "innkeep.db"), "rows");
    await inScratch(parent, async () => undefined);
    expect(await foldersIn(parent)).toEqual([join(parent, "innkeep.db")]);
  });

  it("is named in the error if it cannot be created or has too little free space", async () => {
    const parent = await temporaryFolder();
    const file = join(parent, "file");
    await writeFile(file, "");
    await expect(inScratch(file, async () => undefined)).rejects.toThrow(
      /^The scratch folder .*file cannot be created/,
    );
    await expect(assertFreeSpace(parent, 2 ** 60)).rejects.toThrow(
      /has \d+ MiB of free space.*needs about 1099511627776 MiB/,
    );
  });
});
