import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { sendBody } from "../../src/client/node-transport.ts";
import { type FeedbackFiles, feedbackBody, type SentFile } from "../../src/client/send.ts";
import { dataUrl, mp4, pdf, png, type SampleFile } from "../support/files/sample-files.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { fc } from "../support/property.ts";

const noFiles: FeedbackFiles = { images: [], videos: [], attachments: [] };
const fields = { type: "bug", message: "Zeile 1\n„zwei“ 🐞", metadata: { a: { b: [1, null] } } };
const MB = 1_048_576;

async function onDisk(folder: string, { name, mediaType, bytes }: SampleFile): Promise<SentFile> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path, name, mediaType, bytes: bytes.length };
}

async function chunksOf(read: AsyncIterable<Uint8Array | string>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of read) chunks.push(Buffer.from(chunk));
  return chunks;
}

describe("the body of a feedback request", () => {
  it("is JSON with the fields if there are no files", async () => {
    const body = feedbackBody({ ...fields, subject: undefined }, noFiles);
    expect(JSON.parse(Buffer.concat(await chunksOf(body.read())).toString())).toEqual(fields);
  });

  it("contains images and videos as data URLs, and PDFs with their names", async () => {
    const folder = await temporaryFolder();
    const quoted = { ...pdf(), name: 'a "quoted" näme.pdf' };
    const body = feedbackBody(fields, {
      images: [await onDisk(folder, png())],
      videos: [await onDisk(folder, mp4())],
      attachments: [await onDisk(folder, quoted)],
    });
    expect(JSON.parse(Buffer.concat(await chunksOf(body.read())).toString())).toEqual({
      ...fields,
      images: [dataUrl(png())],
      videos: [dataUrl(mp4())],
      attachments: [{ name: quoted.name, data: dataUrl(quoted) }],
    });
  });

  it("has a known length in advance, and encodes files of every length correctly", async () => {
    const path = join(await temporaryFolder(), "any");
    const size = fc.oneof(fc.nat(10), fc.integer({ min: 49_140, max: 49_160 }), fc.nat(200_000));
    await fc.assert(
      fc.asyncProperty(size, fc.nat(255), async (bytes, fill) => {
        const written = Buffer.alloc(bytes, Buffer.of(fill, 7, 255));
        await writeFile(path, written);
        const body = feedbackBody(fields, {
          ...noFiles,
          images: [{ path, name: "any", mediaType: "image/png", bytes }],
        });
        const sent = Buffer.concat(await chunksOf(body.read()));
        expect(sent.length).toBe(body.bytes);
        expect(JSON.parse(sent.toString()).images).toEqual([
          `data:image/png;base64,${written.toString("base64")}`,
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it("marks the end of each file", async () => {
    const folder = await temporaryFolder();
    const images = [
      await onDisk(folder, png(100_000)),
      await onDisk(folder, { ...png(7_000), name: "b.png" }),
    ];
    const body = feedbackBody(fields, { ...noFiles, images });
    const sent = Buffer.concat(await chunksOf(body.read())).toString("latin1");
    const ends = body.files.map(({ endsAt }) => endsAt);
    expect(ends.map((end) => sent.slice(end, end + 2))).toEqual(['",', '"]']);
  });

  it("starts from the beginning each time that it is read", async () => {
    const images = [await onDisk(await temporaryFolder(), png(100_000))];
    const body = feedbackBody(fields, { ...noFiles, images });
    const [first, second] = [await chunksOf(body.read()), await chunksOf(body.read())].map((chunks) =>
      Buffer.concat(chunks),
    );
    expect(second?.equals(first ?? Buffer.alloc(0))).toBe(true);
  });

  it("produces at most 64 KiB at once", async () => {
    const images = [await onDisk(await temporaryFolder(), png(2 * MB))];
    const chunks = await chunksOf(feedbackBody(fields, { ...noFiles, images }).read());
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(65_536);
  });

  it("reads a file only as far as the caller requests", async () => {
    const image = await onDisk(await temporaryFolder(), png(2 * MB));
    const read = feedbackBody({}, { ...noFiles, images: [image] })
      .read()
      [Symbol.asyncIterator]();
    while (Buffer.from((await read.next()).value ?? "").length < 65_536);
    await truncate(image.path, 49_152);
    await expect(read.next()).rejects.toThrow("The file shot.png changed while it was sent.");
  });

  it("is sent in blocks, each after the network has accepted the previous block", async () => {
    const images = [await onDisk(await temporaryFolder(), png(2 * MB))];
    let most = 0;
    const network = new Writable({
      highWaterMark: 16_384,
      write(_chunk, _encoding, taken) {
        most = Math.max(most, network.writableLength);
        setImmediate(taken);
      },
    });
    await sendBody(network, { body: feedbackBody({}, { ...noFiles, images }) });
    await finished(network);
    expect(most).toBeLessThan(2 * 65_536);
  });

  it("refuses a file whose size has changed during the sending", async () => {
    const image = await onDisk(await temporaryFolder(), png());
    const images = [{ ...image, bytes: image.bytes - 1 }];
    await expect(chunksOf(feedbackBody(fields, { ...noFiles, images }).read())).rejects.toThrow("changed");
  });
});
