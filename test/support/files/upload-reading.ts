import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import { type MultipartForm, readMultipartUpload } from "../../../server/http/body/form-upload.ts";
import type { Upload } from "../../../server/http/body/read-body.ts";
import { type JsonUploadLimits, readJsonUpload } from "../../../server/http/body/read-upload.ts";
import { isReceivedFile } from "../../../src/contract/files.ts";
import { filesIn, temporaryFolder } from "./temporary-folder.ts";

/**
 * Longer than a body that is read in one piece. Before a JSON text, it causes the reader to scan the text piece by
 * piece.
 */
export const streaming = " ".repeat(70_000);

export const jsonLimits: JsonUploadLimits = {
  files: { "images.*": 1_000, "videos.*": 2_000, "attachments.*.data": 3_000 },
  free: "metadata",
  body: 300_000,
  text: 200_000,
};

export const formLimits: MultipartForm = {
  files: { images: { bytes: 1_000 }, attachments: { bytes: 3_000, named: true } },
  texts: ["message", "metadata"],
  json: ["metadata"],
  body: 300_000,
  text: 2_000,
};

/** A folder of files and readers of bodies into it. */
export async function createReading() {
  const folder = await temporaryFolder();
  const files = createLocalFiles(folder);
  return {
    folder,
    files,
    /** The paths of all existing files. */
    left: () => filesIn(folder),
    json: (body: string | Buffer, limits: Partial<JsonUploadLimits> = {}, pieceLength?: number) =>
      readJsonUpload(chunked(body, pieceLength), files, { ...jsonLimits, ...limits }),
    form: (bytes: Buffer, type: string, limits: Partial<MultipartForm> = {}, pieceLength?: number) => {
      const body = chunked(bytes, pieceLength);
      return readMultipartUpload({ body, headers: { "content-type": type } }, files, {
        ...formLimits,
        ...limits,
      });
    },
  };
}

export type Reading = Awaited<ReturnType<typeof createReading>>;

/** A body in pieces, as a connection delivers it. */
function chunked(body: string | Buffer, pieceLength = 10_000): Readable {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceLength) }, (_, at) =>
    bytes.subarray(at * pieceLength, (at + 1) * pieceLength),
  );
  return Readable.from(pieces);
}

/** How reading a body failed: the fault of the UploadFailure, or the error itself. */
export async function faultOf(reading: Promise<Upload>): Promise<unknown> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    return error instanceof Error && "fault" in error ? error.fault : error;
  }
}

/** The body with the bytes of each file in hex, or with the fault in place of the file. */
export async function withBytes(value: unknown): Promise<unknown> {
  if (isReceivedFile(value)) return value.fault ?? (await readFile(value.path)).toString("hex");
  if (Array.isArray(value)) return Promise.all(value.map(withBytes));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, child]) => [key, await withBytes(child)]);
  return Object.fromEntries(await Promise.all(entries));
}
