import { describe, expect, it } from "vitest";
import { FilesUnavailable } from "../../server/files/files.ts";
import { createKeptFiles } from "../../server/files/kept-files.ts";
import { createLocalFiles } from "../../server/files/local-files.ts";
import { receivedFile } from "../../src/contract/files.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";

async function folderWithFiles() {
  const folder = await temporaryFolder();
  const files = createLocalFiles(folder);
  const referenced = new Set<string>();
  const kept = createKeptFiles(files, (decide) =>
    decide({ lock: async () => {}, isReferenced: async (sha256) => referenced.has(sha256) }),
  );
  const receive = async (text: string) => {
    const temporary = files.createTemporary(100);
    temporary.write(Buffer.from(text));
    const written = await temporary.finish();
    return receivedFile({ ...written, declaredType: null, name: null, fault: null });
  };
  return { folder, kept, referenced, receive };
}

/** A folder that records what is removed. */
async function folderOfRemoved() {
  const { receive } = await folderWithFiles();
  const files = createLocalFiles(await temporaryFolder());
  const removed: string[] = [];
  const remove = async (sha256: string) => void removed.push(sha256);
  const keptBy = (keep: () => Promise<void>) =>
    createKeptFiles({ ...files, keep, remove }, (decide) =>
      decide({ lock: async () => {}, isReferenced: async () => false }),
    );
  return { removed, keptBy, receive };
}

/** A file store whose removals end when the test lets them. */
async function removedByHand() {
  const { receive } = await folderWithFiles();
  const files = { ...createLocalFiles(await temporaryFolder()), keep: async () => {} };
  const pending: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const kept = createKeptFiles(
    files,
    () => new Promise<void>((resolve, reject) => pending.push({ resolve, reject })),
  );
  return {
    kept,
    receive,
    running: () => pending.length,
    finishOne: () => pending.shift()?.resolve(),
    failOne: (error: Error) => pending.shift()?.reject(error),
  };
}

describe("the files of a transaction", () => {
  const tx = {
    engine: "postgres",
    get: async () => undefined,
    run: async () => 0,
    lock: async () => {},
  } as const;

  it("are locked and present", async () => {
    const { kept, receive } = await folderWithFiles();
    const file = await receive("a");
    await kept.keepFor([file], () => kept.secure(tx, [file]));
    await expect(kept.secure(tx, [await receive("b")])).rejects.toThrow(FilesUnavailable);
  });

  it("are reported as unavailable if they were moved to another storage", async () => {
    const files = createLocalFiles(await temporaryFolder());
    const { receive } = await folderWithFiles();
    const old = createKeptFiles(
      files,
      async () => {},
      async () => false,
    );
    await expect(old.secure(tx, [await receive("a")])).rejects.toThrow(FilesUnavailable);
    await old.secure(tx, []);
  });

  it("are reported as unavailable if the storage does not answer, so that the transaction ends soon", async () => {
    const { receive } = await folderWithFiles();
    const files = createLocalFiles(await temporaryFolder());
    const hung = createKeptFiles({ ...files, size: () => new Promise(() => {}) }, async () => {});
    const secured = hung.secure(tx, [await receive("a")]);
    await expect(secured).rejects.toMatchObject({ name: "FilesUnavailable", isSilence: true });
  });
});

describe("the files of a report", () => {
  it("are kept if the report is saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    expect(await kept.keepFor([await receive("a")], async () => "saved")).toBe("saved");
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are deleted if the report cannot be saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    await expect(kept.keepFor([await receive("a")], () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(await filesIn(folder)).toEqual([]);
  });

  it("are kept if another report has the same content", async () => {
    const { folder, kept, referenced, receive } = await folderWithFiles();
    const file = await receive("same");
    await kept.keepFor([file], async () => referenced.add(file.sha256));
    await expect(
      kept.keepFor([await receive("same")], () => Promise.reject(new Error("no"))),
    ).rejects.toThrow();
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are not deleted while a report with them is saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    const file = await receive("busy");
    await kept.keepFor([file], () => kept.removeUnreferenced([file.sha256]));
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are deleted if nothing refers to them", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    const file = await receive("old");
    await kept.keepFor([file], async () => {});
    await kept.removeUnreferenced([file.sha256]);
    expect(await filesIn(folder)).toEqual([]);
  });

  it("are kept if a removal of the same file by another request fails meanwhile", async () => {
    const { kept, receive, failOne } = await removedByHand();
    const files = [await receive("first"), await receive("second")];
    const removal = kept.removeUnreferenced([files[1]?.sha256 ?? ""]);
    const saved = kept.keepFor(files, async () => "saved");
    failOne(new Error("The disk failed"));
    await expect(removal).rejects.toThrow("The disk failed");
    expect(await saved).toBe("saved");
  });

  it("can be deleted after a removal by another request failed while they were kept", async () => {
    const { kept, receive, running, failOne, finishOne } = await removedByHand();
    const files = [await receive("first"), await receive("second")];
    const removals = [kept.removeUnreferenced([files[1]?.sha256 ?? ""]).catch(() => undefined)];
    const saved = kept.keepFor(files, async () => {}).catch(() => undefined);
    failOne(new Error("The disk failed"));
    await Promise.all([saved, ...removals]);
    const later = kept.removeUnreferenced(files.map(({ sha256 }) => sha256));
    expect(running()).toBe(2);
    finishOne();
    finishOne();
    await later;
  });

  it("are not deleted immediately if the storage does not answer, because a late deletion could hit the next attempt", async () => {
    const { removed, keptBy, receive } = await folderOfRemoved();
    const received = await receive("silent");
    const fail = (isSilence: boolean) =>
      keptBy(() => Promise.reject(new FilesUnavailable(new Error("down"), { isSilence })))
        .keepFor([received], async () => {})
        .catch((error) => error.message);
    expect(await fail(true)).toContain("cannot be written");
    expect(removed).toEqual([]);
    expect(await fail(false)).toContain("cannot be written");
    expect(removed).toEqual([received.sha256]);
  });

  it("are deleted four at a time", async () => {
    const { kept, finishOne, running } = await removedByHand();
    const hashes = Array.from({ length: 10 }, (_, at) => String(at));
    const all = Promise.all([
      kept.removeUnreferenced(hashes.slice(0, 5)),
      kept.removeUnreferenced(hashes.slice(5)),
    ]);
    const most: number[] = [];
    for (const _ of hashes) {
      await expect.poll(running).toBeGreaterThan(0);
      most.push(running());
      finishOne();
    }
    await all;
    expect(Math.max(...most)).toBe(4);
    expect(running()).toBe(0);
  });
});
