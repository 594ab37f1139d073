import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyName, createFileCopies } from "../../../../server/continuous/file-copies.ts";
import { createFolderPlace } from "../../../../server/continuous/places/folder-place.ts";
import { MissingCopy, type Place } from "../../../../server/continuous/places/place.ts";
import { createKeptNames, notingKept } from "../../../../server/files/kept-names.ts";
import { createLocalFiles } from "../../../../server/files/local-files.ts";
import { receivedFile } from "../../../../src/contract/files/received-file.ts";
import { sqlite } from "../../../support/database/databases.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { rounds } from "../../../support/torture.ts";

/** A file that the place has, and no row names. `during` happens while its copy is deleted. */
async function unnamedCopy(
  during: (happening: { keep(): Promise<void>; copyKept(): Promise<void> }) => Promise<void>,
) {
  const created = await sqlite.create();
  onTestFinished(() => created.remove());
  const database = await created.open();
  onTestFinished(() => database.close());
  const keptNames = createKeptNames();
  const files = notingKept(createLocalFiles(await temporaryFolder()), keptNames);
  const bytes = Buffer.from("the content of a file");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const keep = async () => {
    const draft = files.createTemporary(1_000);
    draft.write(bytes);
    const facts = { declaredType: null, name: null, fault: null };
    await files.keep(receivedFile({ ...(await draft.finish()), ...facts }));
  };
  const folder = createFolderPlace(await temporaryFolder());
  let deletions = 0;
  const place: Place = {
    ...folder,
    async remove(names) {
      deletions++;
      await during({ keep, copyKept: copies.copyKept });
      await folder.remove(names);
    },
  };
  const copies = createFileCopies({ database, files, keptNames, place, recipients: [] });
  await keep();
  await copies.copyKept();
  const isCopied = () =>
    folder.get(copyName("files", sha256)).then(
      () => true,
      (error) => {
        if (error instanceof MissingCopy) return false;
        throw error;
      },
    );
  expect(await isCopied()).toBe(true);
  return { copies, isCopied, keep, deletions: () => deletions };
}

describe("the copy of a file that no row names", () => {
  it("is deleted if it was chosen", async () => {
    const { copies, isCopied } = await unnamedCopy(async () => {});
    await copies.remove(async () => []);
    expect(await isCopied()).toBe(true);
    await copies.remove(async (unnamed) => unnamed.map(({ name }) => name));
    expect(await isCopied()).toBe(false);
  });

  it("is made again if the same file was kept and copied while it was deleted", async () => {
    const { copies, isCopied } = await unnamedCopy(async ({ keep, copyKept }) => {
      await keep();
      await copyKept();
    });
    await copies.remove(async (unnamed) => unnamed.map(({ name }) => name));
    await copies.copyKept();
    expect(await isCopied()).toBe(true);
  });

  it("stays if the same file was kept and copied after it was chosen", async () => {
    const { copies, isCopied, keep, deletions } = await unnamedCopy(async () => {});
    await copies.remove(async (unnamed) => {
      await keep();
      await copies.copyKept();
      return unnamed.map(({ name }) => name);
    });
    expect(deletions()).toBe(0);
    expect(await isCopied()).toBe(true);
  });
});

describe("a folder of copies", () => {
  it("keeps what is stored while other copies of the same folder are deleted", async () => {
    const root = await temporaryFolder();
    const place = createFolderPlace(root);
    for (let round = 0; round < rounds(200, 5_000); round++) {
      await place.put("files/ab/old", Buffer.from("old"));
      await Promise.all([place.remove(["files/ab/old"]), place.put("files/ab/new", Buffer.from("new"))]);
      expect(String(await place.get("files/ab/new"))).toBe("new");
      await place.remove(["files/ab/new"]);
    }
    expect((await place.list("")).folders).toEqual([]);
  });
});
