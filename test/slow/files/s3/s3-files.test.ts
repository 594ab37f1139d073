import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Files, FilesUnavailable } from "../../../../server/files/files.ts";
import { createLocalFiles } from "../../../../server/files/local-files.ts";
import { createS3Files, faultOfSettings } from "../../../../server/files/s3-files.ts";
import { s3Of } from "../../../../server/settings/read-settings.ts";
import type { S3Settings } from "../../../../server/settings/settings.ts";
import { receivedFile } from "../../../../src/contract/files.ts";
import { filesIn, temporaryFolder } from "../../../support/files/temporary-folder.ts";
import {
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../../support/s3/object-store.ts";

function placeAt(url: string): S3Settings {
  const place = s3Of({ INNKEEP_S3_URL: url });
  if (!place) throw new Error("The address is empty");
  return place;
}

async function receive(files: Files, bytes: Buffer) {
  const temporary = files.createTemporary(50_000_000);
  temporary.write(bytes);
  const written = await temporary.finish();
  return receivedFile({ ...written, declaredType: null, name: null, fault: null });
}

describe.runIf(hasObjectStore)(`files in S3 (${needsObjectStore})`, () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store.remove());

  const open = async (folder?: string) => {
    const bucket = await store.makeBucket(folder);
    const temporary = join(await temporaryFolder(), "temporary");
    return { bucket, temporary, files: createS3Files(temporary, placeAt(bucket.url)) };
  };

  it.each([
    ["none", 0],
    ["a few", 10],
    ["many", 3_000_000],
  ])("a file of %s bytes is stored under its hash, and can be read", async (_, size) => {
    const { files, bucket, temporary } = await open();
    const bytes = randomBytes(size);
    const received = await receive(files, bytes);
    await files.keep(received);
    expect(received.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(await bucket.names()).toEqual([`files/${received.sha256}`]);
    expect(await filesIn(temporary)).toEqual([]);
    expect(await files.size(received.sha256)).toBe(size);
    expect((await buffer(await files.open(received.sha256))).equals(bytes)).toBe(true);
  });

  it("parts of a file are the same as from a folder", async () => {
    const { files } = await open("inn/files");
    const folder = createLocalFiles(join(await temporaryFolder(), "files"));
    const bytes = randomBytes(200_000);
    const { sha256 } = await receive(files, bytes);
    for (const each of [files, folder]) await each.keep(await receive(each, bytes));
    const spans = [
      { start: 0, end: 0 },
      { start: 5, end: 70_000 },
      { start: 199_999, end: 199_999 },
    ];
    for (const span of spans)
      expect(
        (await buffer(await files.open(sha256, span))).equals(await buffer(await folder.open(sha256, span))),
      ).toBe(true);
  });

  it("storing the same file again changes nothing, and a missing file is refused", async () => {
    const { files } = await open();
    const received = await receive(files, Buffer.from("the same"));
    await files.keep(received);
    await files.keep(received);
    const other = await receive(files, Buffer.from("other"));
    await files.dropTemporary([other.path]);
    await expect(files.keep(other)).rejects.toThrow("missing or incomplete");
  });

  it("the storage itself refuses bytes of another hash", async () => {
    const { files, bucket } = await open();
    const received = await receive(files, Buffer.from("the bytes"));
    const wrong = createHash("sha256").update("others").digest("hex");
    await expect(files.keep({ ...received, sha256: wrong })).rejects.toThrow(FilesUnavailable);
    expect(await bucket.names()).toEqual([]);
  });

  it("a file that was deleted or moved is no longer found", async () => {
    const { files, bucket } = await open("inn");
    const [one, two] = [await receive(files, Buffer.from("1")), await receive(files, Buffer.from("2"))];
    for (const each of [one, two]) await files.keep(each);
    await files.remove(one.sha256);
    await files.remove(one.sha256);
    await files.setAside(two.sha256);
    expect(await files.size(one.sha256)).toBeUndefined();
    expect(await files.size(two.sha256)).toBeUndefined();
    await expect(files.open(one.sha256)).rejects.toThrow("no such file");
    expect(await bucket.names()).toEqual([`inn/damaged/${two.sha256}`]);
  });

  it("a file of the last hour does not count as settled, and neither do objects of other programs", async () => {
    const { files, bucket } = await open();
    const received = await receive(files, Buffer.from("new"));
    await files.keep(received);
    await bucket.request("PUT", "files/of-others", "1");
    const settled: string[][] = [];
    for await (const names of files.settled()) settled.push(names);
    expect(settled).toEqual([]);
  });

  it("a stream that is closed early leaves no open connection", async () => {
    const { files } = await open();
    const received = await receive(files, randomBytes(5_000_000));
    await files.keep(received);
    for (let round = 0; round < 200; round += 1) {
      const stream = await files.open(received.sha256);
      stream.destroy();
    }
    expect(await files.size(received.sha256)).toBe(5_000_000);
  });

  it("a read continues and is complete if the storage is killed during it", async () => {
    const { files } = await open();
    const bytes = randomBytes(30_000_000);
    const received = await receive(files, bytes);
    await files.keep(received);
    const stream = await files.open(received.sha256);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      if (chunks.length !== 3) continue;
      await store.kill();
      await store.start();
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it.each([
    ["a wrong secret", (url: string) => url.replace("very", "not"), "a wrong secret"],
    [
      "an unknown key",
      (url: string) => url.replace("//innkeep", "//nobody"),
      "the S3 service does not accept",
    ],
    ["a missing bucket", (url: string) => `${url}-missing`, "does not exist"],
  ])("%s is refused with a message about what to change", async (_, change, sentence) => {
    const { bucket, temporary } = await open();
    const files = createS3Files(temporary, placeAt(change(bucket.url)));
    const failure = await receive(files, Buffer.from("x"))
      .then(files.keep)
      .catch((error) => error);
    expect(failure).toBeInstanceOf(FilesUnavailable);
    expect(faultOfSettings(failure)).toContain(sentence);
    expect(JSON.stringify(failure.cause) + failure.cause.stack).not.toMatch(/hunter/);
  });

  it("a storage that is not running causes an error immediately, and can be used immediately after its start", async () => {
    const { files } = await open();
    const received = await receive(files, Buffer.from("later"));
    await store.kill();
    await expect(files.keep(received)).rejects.toThrow(FilesUnavailable);
    await store.start();
    await expect
      .poll(() =>
        files.keep(received).then(
          () => "kept",
          () => "refused",
        ),
      )
      .toBe("kept");
  });

  it("a storage that does not answer gets no deletions that it could carry out later", async () => {
    const { files } = await open();
    const [stored, next] = [await receive(files, Buffer.from("1")), await receive(files, Buffer.from("2"))];
    await files.keep(stored);
    store.hang();
    try {
      await expect(files.keep(next)).rejects.toMatchObject({ isSilence: true });
      await expect(files.remove(stored.sha256)).rejects.toMatchObject({ isSilence: true });
    } finally {
      store.goOn();
    }
    const outcome = (done: Promise<void>) =>
      done.then(
        () => "done",
        () => "refused",
      );
    await expect.poll(() => outcome(files.keep(next))).toBe("done");
    expect(await files.size(stored.sha256)).toBe(1);
    await expect.poll(() => outcome(files.remove(stored.sha256))).toBe("done");
    expect(await files.size(stored.sha256)).toBeUndefined();
  });
});
