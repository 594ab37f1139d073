import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Files, FilesUnavailable } from "../../../server/files/files.ts";
import { readMultipartUpload } from "../../../server/http/body/form-upload.ts";
import { readJsonUpload } from "../../../server/http/body/read-upload.ts";
import { eventually } from "../../support/eventually.ts";
import { openFilesIn } from "../../support/files/open-files.ts";
import { dataUrl, mp4 } from "../../support/files/sample-files.ts";
import { createReading, faultOf, formLimits, jsonLimits } from "../../support/files/upload-reading.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";

const MB = 1_048_576;
const json = Buffer.from(JSON.stringify({ images: [dataUrl(mp4(MB)), dataUrl(mp4(MB))] }));
const boundary = Buffer.from("--b0\r\nContent-Disposition: form-data; name=images; filename=a\r\n\r\n");
const form = Buffer.concat([boundary, mp4(2 * MB).bytes, Buffer.from("\r\n--b0--\r\n")]);

const readers = {
  json: (request: IncomingMessage, files: Files) =>
    readJsonUpload(request, files, { ...jsonLimits, files: { "images.*": MB }, body: 4 * MB }),
  form: (request: IncomingMessage, files: Files) =>
    readMultipartUpload({ body: request, headers: request.headers }, files, {
      ...formLimits,
      files: { images: { bytes: 2 * MB } },
      body: 4 * MB,
    }),
};

/** Files on a disk that is full after some writes. */
const fullAfter =
  (writes: number) =>
  (files: Files): Files => ({
    ...files,
    createTemporary(limit) {
      const file = files.createTemporary(limit);
      let left = writes;
      const write = (bytes: Uint8Array) => {
        left -= 1;
        if (left < 0) throw new FilesUnavailable(new Error("ENOSPC"));
        file.write(bytes);
      };
      return { ...file, write };
    },
  });

/** A server that reads bodies and reports the result. */
async function startReader(kind: keyof typeof readers, disk = (files: Files) => files) {
  const reading = await createReading();
  const files = disk(reading.files);
  const faults: unknown[] = [];
  let arrived = 0;
  const server = createServer(async (request, response) => {
    request.on("data", (chunk: Buffer) => {
      arrived += chunk.length;
    });
    const fault = await faultOf(readers[kind](request, files));
    faults.push(fault);
    response.end(String(fault));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return {
    ...reading,
    faults,
    bytesRead: () => arrived,
    baseUrl: `http://127.0.0.1:${portOf(server.address())}`,
  };
}

const portOf = (address: AddressInfo | string | null) =>
  typeof address === "object" && address !== null ? address.port : 0;

describe.each([
  ["json", json, "application/json"],
  ["form", form, "multipart/form-data; boundary=b0"],
] as const)("a %s body that arrives over a connection", (kind, body, type) => {
  const head = (length: number) => headOf("POST", "/", { "Content-Type": type, "Content-Length": length });

  it.each([1, 100, 70_000, MB, body.length - 1])(
    "is aborted if it ends after %i bytes, and leaves no file and no open descriptor",
    async (length) => {
      const reader = await startReader(kind);
      const connection = await connectRaw(reader.baseUrl);
      connection.write(head(body.length));
      connection.write(body.subarray(0, length));
      await eventually(() => expect(reader.bytesRead()).toBeGreaterThanOrEqual(length));
      await connection.cut();
      await eventually(() => expect(reader.faults).toEqual(["aborted"]));
      expect(await reader.left()).toEqual([]);
      expect(await openFilesIn(reader.folder)).toEqual([]);
    },
  );

  it("gets its answer if it is too large and the sender continues to send", async () => {
    const reader = await startReader(kind);
    const connection = await connectRaw(reader.baseUrl);
    connection.write(head(12 * MB));
    for (let sent = 0; sent < 12 * MB; sent += MB) connection.write(body.subarray(0, MB));
    expect(await connection.read(/too_large/)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(await reader.left()).toEqual([]);
  });

  it("leaves its closed files if it is complete", async () => {
    const reader = await startReader(kind);
    const answer = await fetch(reader.baseUrl, { method: "POST", body, headers: { "Content-Type": type } });
    expect(await answer.text()).toBe("undefined");
    expect(await reader.left()).toHaveLength(kind === "json" ? 2 : 1);
    expect(await openFilesIn(reader.folder)).toEqual([]);
  });

  it("is refused as unavailable if the disk has no space for it, and leaves no file", async () => {
    const reader = await startReader(kind, fullAfter(3));
    const answer = await fetch(reader.baseUrl, { method: "POST", body, headers: { "Content-Type": type } });
    expect(await answer.text()).toMatch("FilesUnavailable");
    expect(await reader.left()).toEqual([]);
    expect(await openFilesIn(reader.folder)).toEqual([]);
  });
});
