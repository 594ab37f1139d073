import type { Readable } from "node:stream";
import type { Files } from "../../files/files.ts";
import type { IncomingBody } from "../bodies/arrivals.ts";
import { consume } from "../bodies/consume.ts";
import { createByteCollector } from "./byte-collector.ts";
import { createDataUrlFile } from "./data-url-file.ts";
import { type FilePlace, filePlaceOf, replaceStringsAt } from "./file-places.ts";
import { createJsonScanner } from "./json-scanner.ts";
import { createRawStringCheck } from "./json-string.ts";
import { parseStrictJson } from "./strict-json.ts";
import { type Intake, receive, refuseMore, type Upload } from "./upload.ts";
import { UploadFailure } from "./upload-failure.ts";

export interface JsonUploadLimits {
  /**
   * The places where base64 data URLs become files, and the limit of decoded bytes of each: `{"images.*": 2_097_152}`.
   */
  readonly files: Readonly<Record<string, number>>;
  /** The field that may hold any JSON object. */
  readonly free?: string;
  /** Bytes of the whole body. */
  readonly body: number;
  /** Bytes of the body without the text of its files, which are held in memory. */
  readonly text: number;
  /** Lets the server cut the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/**
 * Reads a JSON body and decodes its files to disk while it arrives. Each string at one of the places becomes a
 * ReceivedFile, faulty or not. Everything else is as JSON.parse gives it. Throws UploadFailure `malformed_json`,
 * `too_large` or `aborted`, and FilesUnavailable; then no file is left.
 */
export function readJsonUpload(body: Readable, files: Files, limits: JsonUploadLimits): Promise<Upload> {
  return receive(files, async (intake) => {
    const places = new Map(Object.entries(limits.files).map(([at, bytes]) => [filePlaceOf(at), bytes]));
    const { arrival } = limits;
    let whole = createByteCollector();
    let scan: JsonScan | undefined;

    await consume(body, { bytes: limits.body, arrival }, (chunk) => {
      if (scan) return scan.write(chunk);
      const grown = whole.add(chunk);
      arrival?.hold(grown);
      if (whole.size <= smallBody) return;
      scan = scanJson(intake, places, limits);
      scan.write(whole.bytes());
      whole = createByteCollector();
    });
    return scan ? scan.end() : parseWhole(parseStrictJson(whole.bytes(), limits.free), intake, places);
  });
}

const smallBody = 65_536;

type Limits = ReadonlyMap<FilePlace, number>;

function parseWhole(value: unknown, intake: Intake, places: Limits): Promise<unknown> {
  const files: Promise<unknown>[] = [];
  const anyText = { write() {}, end() {} };
  for (const [place, limit] of places) {
    replaceStringsAt(value, place, (text) => {
      refuseMore(files.length);
      const file = createDataUrlFile(intake, limit, anyText);
      file.write(Buffer.from(text));
      return String(files.push(file.end()) - 1);
    });
  }
  return withFiles(value, places, files);
}

// Until the files are complete, the value holds their numbers.
async function withFiles(value: unknown, places: Limits, pending: Promise<unknown>[]): Promise<unknown> {
  const files = await Promise.all(pending);
  for (const place of places.keys()) replaceStringsAt(value, place, (number) => files[Number(number)]);
  return value;
}

interface JsonScan {
  write(chunk: Buffer): void;
  end(): Promise<unknown>;
}

function scanJson(intake: Intake, places: Limits, { text: maxText, free }: JsonUploadLimits): JsonScan {
  const text = createByteCollector();
  const files: Promise<unknown>[] = [];

  const keepText = (bytes: Buffer) => {
    if (text.size + bytes.length > maxText)
      throw new UploadFailure("too_large", `The body has over ${maxText} bytes beside its files.`);
    text.add(bytes);
  };
  const openString = (place: FilePlace) => {
    refuseMore(files.length);
    const file = createDataUrlFile(intake, places.get(place) ?? 0, createRawStringCheck());
    const end = () => keepText(Buffer.from(`${files.push(file.end()) - 1}"`));
    return { write: file.write, end };
  };

  return {
    write: createJsonScanner([...places.keys()], { text: keepText, openString }),
    end: () => withFiles(parseStrictJson(text.bytes(), free), places, files),
  };
}
