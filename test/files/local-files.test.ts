import { createHash } from "node:crypto";
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { FilesUnavailable } from "../../server/files/files.ts";
import { createLocalFiles } from "../../server/files/local-files.ts";
import { orUnavailable } from "../../server/files/temporary-files.ts";
import { receivedFile } from "../../src/contract/files.ts";
import { filesWithPositions } from "../support/files/files-with-positions.ts";
import { openFilesIn } from "../support/files/open-files.ts";
import { png } from "../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";

async function createStore() {
  const folder = join(await temporaryFolder(), "files");
  const files = createLocalFiles(folder);
  const receive = async (bytes: string | Buffer, limit = 1_000_000) => {
    const temporary = files.createTemporary(limit);
    temporary.write(Buffer.from(bytes));
    const written = await temporary.finish();
    return receivedFile({ ...written, declaredType: null, name: null, fault: null });
  };
  return { folder, files, receive };
}

const sha256Of = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("a temporary file", () => {
  it.each([
    ["none", 0],
    ["a few", 10],
    ["many", 300_000],
  ])("has the size, the hash and the type of %s bytes", async (_, size) => {
    const { receive } = await createStore();
    const bytes = size < 100 ? Buffer.alloc(size, 1) : png(size).bytes;
    const detectedType = size < 100 ? null : "image/png";
    expect(await receive(bytes)).toMatchObject({ size, sha256: sha256Of(bytes), detectedType });
  });

  it("has the type of bytes that arrive one by one", async () => {
    const { files } = await createStore();
    const file = files.createTemporary(1_000);
    for (const byte of png(600).bytes) file.write(Buffer.of(byte));
    expect(await file.finish()).toMatchObject({ size: 600, detectedType: "image/png" });
  });

  it("stores one byte more than its limit, and only counts the bytes after that", async () => {
    const { files } = await createStore();
    const file = files.createTemporary(5);
    for (const text of ["abc", "def", "ghi"]) file.write(Buffer.from(text));
    expect(await file.finish()).toMatchObject({ size: 9, sha256: sha256Of("abcdef") });
    expect(await readFile(file.path, "utf8")).toBe("abcdef");
  });

  it("with the content of a stored file does not change the stored file", async () => {
    const { files } = await createStore();
    const { bytes } = filesWithPositions()[0] ?? png();
    const [changed, copy] = [files.createTemporary(10_000), files.createTemporary(10_000)];
    for (const file of [changed, copy]) file.write(bytes);
    const facts = { size: bytes.length, detectedType: "image/jpeg" };
    expect(await copy.finishUnchanged()).toMatchObject({ ...facts, sha256: sha256Of(bytes) });
    expect((await changed.finish()).sha256).not.toBe(sha256Of(bytes));
  });

  it("has a secret name, and can be read only by its owner", async () => {
    const { files } = await createStore();
    const paths = [files.createTemporary(1).path, files.createTemporary(1).path];
    expect(new Set(paths).size).toBe(2);
    expect(paths[0]).toMatch(/\/[0-9a-f]{48}$/);
    expect(await modeOf(paths[0] ?? "")).toBe("600");
  });

  it("is deleted when it is dropped, whether it is complete or not", async () => {
    const { folder, files } = await createStore();
    const [first, second] = [files.createTemporary(1), files.createTemporary(1)];
    await first.finish();
    for (const file of [first, second]) file.drop();
    expect(await filesIn(folder)).toEqual([]);
    expect(await openFilesIn(folder)).toEqual([]);
  });

  it.each(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE"])("is reported as unavailable after %s", (code) => {
    const meet = () => {
      throw Object.assign(new Error("no room"), { code });
    };
    expect(() => orUnavailable(meet)).toThrow(FilesUnavailable);
  });
});

describe("a stored file", () => {
  it("has the hash of its bytes as its name, and can be read only by its owner", async () => {
    const { folder, files, receive } = await createStore();
    const sha256 = sha256Of("hello");
    await files.keep(await receive("hello"));
    const path = join(folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
    expect(await filesIn(folder)).toEqual([path]);
    expect([await modeOf(path), await modeOf(join(path, "..")), await modeOf(folder)]).toEqual([
      "600",
      "700",
      "700",
    ]);
  });

  it("is stored once for repeated bytes", async () => {
    const { folder, files, receive } = await createStore();
    const received = await Promise.all(Array.from({ length: 8 }, () => receive("same")));
    await Promise.all(received.map((file) => files.keep(file)));
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("can be stored again after its temporary file was deleted", async () => {
    const { files, receive } = await createStore();
    const received = await receive("hello");
    await files.keep(received);
    await files.keep(received);
    expect(await files.size(received.sha256)).toBe(5);
  });

  it.each([
    ["as a whole", undefined, "0123456789"],
    ["from a given byte to its end", { start: 4, end: 9 }, "456789"],
    ["as a single byte", { start: 0, end: 0 }, "0"],
  ])("can be read %s", async (_, span, text) => {
    const { folder, files, receive } = await createStore();
    const received = await receive("0123456789");
    await files.keep(received);
    expect((await buffer(await files.open(received.sha256, span))).toString()).toBe(text);
    expect(await openFilesIn(folder)).toEqual([]);
  });

  it("can be deleted, even twice", async () => {
    const { files, receive } = await createStore();
    const received = await receive("hello");
    await files.keep(received);
    await files.remove(received.sha256);
    await files.remove(received.sha256);
    expect(await files.size(received.sha256)).toBeUndefined();
    await expect(files.open(received.sha256)).rejects.toThrow("ENOENT");
  });

  it.each(["", "..", "../../etc/passwd", "A".repeat(64), `${"a".repeat(63)}/`])(
    "is never read from the path %j",
    async (sha256) => {
      const { files } = await createStore();
      await expect(files.open(sha256)).rejects.toThrow("Not a SHA-256");
      await expect(files.remove(sha256)).rejects.toThrow("Not a SHA-256");
      await expect(files.size(sha256)).rejects.toThrow("Not a SHA-256");
    },
  );

  it.each([
    ["is in another folder", async (folder: string) => join(folder, "..", "secret"), 6],
    ["is shorter than it was", async (folder: string) => join(folder, "temporary", "short"), 99],
  ])("is never created from a file that %s", async (_, pathIn, size) => {
    const { folder, files } = await createStore();
    const path = await pathIn(folder);
    await writeFile(path, "secret");
    const facts = { declaredType: null, detectedType: null, name: null, fault: null };
    const received = receivedFile({ ...facts, path, size, sha256: sha256Of("secret") });
    await expect(files.keep(received)).rejects.toThrow();
    expect(await readFile(path, "utf8")).toBe("secret");
  });

  it("is never created from a file that is larger than its limit", async () => {
    const { files, receive } = await createStore();
    await expect(files.keep(await receive("too long", 3))).rejects.toThrow("incomplete");
  });
});

describe("the folder for temporary files", () => {
  it("loses only files that nothing was written to for an hour", async () => {
    const { folder, files, receive } = await createStore();
    const [old, fresh] = [await receive("old"), await receive("fresh")];
    const kept = await receive("kept");
    await files.keep(kept);
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    const keptPath = (await filesIn(folder)).find((path) => path.endsWith(kept.sha256)) ?? "";
    for (const path of [old.path, keptPath]) await utimes(path, twoHoursAgo, twoHoursAgo);
    await files.sweepTemporary();
    expect((await filesIn(folder)).sort()).toEqual([fresh.path, keptPath].sort());
  });

  it("deletes only its own files", async () => {
    const { folder, files, receive } = await createStore();
    await mkdir(join(folder, "other"));
    await writeFile(join(folder, "other", "a"), "");
    const received = await receive("x");
    await files.dropTemporary([received.path, join(folder, "other", "a"), join(folder, "temporary", "gone")]);
    expect(await filesIn(folder)).toEqual([join(folder, "other", "a")]);
  });
});
