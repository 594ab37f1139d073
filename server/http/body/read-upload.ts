import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Endpoint, UploadRules } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { isObjectOrList } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Files } from "../../files/files.ts";
import { UploadFailure } from "../errors.ts";
import { type MultipartForm, readMultipartUpload } from "./form-upload.ts";
import type { IncomingBody } from "./incoming-body.ts";
import { createDataUrlFile, createJsonScanner, type JsonPath } from "./json-parts.ts";
import { arrivedBytes, createByteCollector, mediaTypeOf, refuseEncoded } from "./read-body.ts";
import { createRawStringCheck, parseStrictJson } from "./strict-json.ts";
import { consume, type Intake, receive, refuseMore, type Upload } from "./upload.ts";

/**
 * Reads a body with files by the rules of its endpoint. The body is multipart/form-data, or also JSON if its kind is
 * `upload`. Throws `unsupported_media_type`, and `payload_too_large` before it reads a body whose declared length is
 * over the limit.
 */
export async function readUpload(
  request: IncomingMessage,
  { bodyKind, rules }: Pick<Endpoint, "bodyKind"> & { readonly rules: UploadRules },
  { files, arrival }: { readonly files: Files; readonly arrival: IncomingBody | undefined },
): Promise<Upload> {
  refuseEncoded(request);
  if (Number(request.headers["content-length"] ?? 0) > rules.bodyBytes)
    throw new ApiError("payload_too_large");
  const mediaType = mediaTypeOf(request);
  if (mediaType === "multipart/form-data")
    return readMultipartUpload({ body: request, headers: request.headers }, files, {
      ...formOf(rules),
      arrival,
    });
  if (mediaType === "application/json" && bodyKind === "upload") {
    const whole = request.readableLength <= smallBody ? arrivedBytes(request) : undefined;
    return whole
      ? readWholeJson(whole, files, rules)
      : readJsonUpload(request, files, { ...jsonLimitsOf(rules), arrival });
  }
  const json = bodyKind === "upload" ? "application/json or as " : "";
  throw new ApiError("unsupported_media_type", { message: `Send the body as ${json}multipart/form-data.` });
}

const formOf = ({ files, anyJson, bodyBytes }: UploadRules): MultipartForm => ({
  files,
  json: anyJson === undefined ? [] : [anyJson],
  body: bodyBytes,
  text: limits.json,
});

const jsonLimitsOf = ({ files, anyJson, bodyBytes }: UploadRules): JsonUploadLimits => ({
  files: Object.fromEntries(
    Object.entries(files).map(([field, { bytes, named }]) => [`${field}.*${named ? ".data" : ""}`, bytes]),
  ),
  ...(anyJson === undefined ? {} : { free: anyJson }),
  body: bodyBytes,
  text: limits.json,
});

/** Reads a small JSON body that has arrived completely. Most such bodies have no files. */
function readWholeJson(bytes: Buffer, files: Files, rules: UploadRules): Upload | Promise<Upload> {
  const value = parseStrictJson(bytes, rules.anyJson);
  const hasFiles =
    isObjectOrList(value) && Object.keys(rules.files).some((field) => Object.hasOwn(value, field));
  if (!hasFiles) return { value, files: [], discard: nothingToDiscard };
  const places = placesOf(jsonLimitsOf(rules));
  return receive(files, (intake) => parseWhole(value, intake, places));
}

const nothingToDiscard = async () => {};

export interface JsonUploadLimits {
  /**
   * The paths of the strings that become files because they are base64 data URLs. Each has its limit of decoded bytes:
   * `{"images.*": 2_097_152}`.
   */
  readonly files: Readonly<Record<string, number>>;
  /** The field whose value may be any JSON object. */
  readonly free?: string;
  /** Bytes of the whole body. */
  readonly body: number;
  /** Bytes of the body without its files. This part is kept in memory. */
  readonly text: number;
  /** Set if the server may cut the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/**
 * Reads a JSON body and decodes its files to disk while it arrives. Each string at one of the paths becomes a
 * ReceivedFile, even if it is faulty. All other values are as JSON.parse returns them. Throws UploadFailure
 * `malformed_json`, `too_large` or `aborted`, and FilesUnavailable; then no file is left.
 */
export function readJsonUpload(body: Readable, files: Files, allowed: JsonUploadLimits): Promise<Upload> {
  return receive(files, async (intake) => {
    const places = placesOf(allowed);
    const { arrival } = allowed;
    let whole = createByteCollector();
    let scan: JsonScan | undefined;

    await consume(body, { bytes: allowed.body, arrival }, (chunk) => {
      if (scan) return scan.write(chunk);
      const grown = whole.add(chunk);
      arrival?.hold(grown);
      if (whole.size <= smallBody) return;
      scan = scanJson(intake, places, allowed);
      scan.write(whole.bytes());
      whole = createByteCollector();
    });
    return scan ? scan.end() : parseWhole(parseStrictJson(whole.bytes(), allowed.free), intake, places);
  });
}

const smallBody = 65_536;

type PlaceLimits = ReadonlyMap<JsonPath, number>;

const placesOf = ({ files }: JsonUploadLimits): PlaceLimits =>
  new Map(Object.entries(files).map(([at, bytes]) => [at.split("."), bytes]));

function parseWhole(value: unknown, intake: Intake, places: PlaceLimits): Promise<unknown> {
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

// Until the files are complete, the value contains their numbers in their place.
async function withFiles(value: unknown, places: PlaceLimits, pending: Promise<unknown>[]): Promise<unknown> {
  const files = await Promise.all(pending);
  for (const place of places.keys()) replaceStringsAt(value, place, (number) => files[Number(number)]);
  return value;
}

interface JsonScan {
  write(chunk: Buffer): void;
  end(): Promise<unknown>;
}

function scanJson(intake: Intake, places: PlaceLimits, { text: maxText, free }: JsonUploadLimits): JsonScan {
  const text = createByteCollector();
  const files: Promise<unknown>[] = [];

  const keepText = (bytes: Buffer) => {
    if (text.size + bytes.length > maxText)
      throw new UploadFailure("too_large", `The body has over ${maxText} bytes without its files.`);
    text.add(bytes);
  };
  const openString = (place: JsonPath) => {
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

/**
 * Replaces every string of `value` at `place` with the result of `replace`, in order, inside the same objects.
 */
function replaceStringsAt(value: unknown, place: JsonPath, replace: (text: string) => unknown): void {
  const [step, ...rest] = place;
  if (step === undefined || !isObjectOrList(value) || Array.isArray(value) !== (step === "*")) return;
  for (const key of step === "*" ? Object.keys(value) : [step]) {
    const child = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof child === "string" && rest.length === 0) value[key] = replace(child);
    else replaceStringsAt(child, rest, replace);
  }
}
