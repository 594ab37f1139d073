import type { IncomingMessage } from "node:http";
import type { Endpoint, UploadRules } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Files } from "../../files/files.ts";
import type { IncomingBody } from "../bodies/arrivals.ts";
import { mediaTypeOf, refuseEncoded } from "../bodies/body.ts";
import type { MultipartForm } from "./form-fields.ts";
import { type JsonUploadLimits, readJsonUpload } from "./json-upload.ts";
import { readMultipartUpload } from "./multipart-upload.ts";
import type { Upload } from "./upload.ts";

interface Reading {
  readonly files: Files;
  readonly arrival: IncomingBody | undefined;
}

/**
 * Reads a body with its files by the rules of its endpoint: as multipart/form-data, and for the kind `upload` also as
 * JSON. Throws `payload_too_large` for a declared length over the limit, before it reads, and `unsupported_media_type`.
 */
export async function readUpload(
  request: IncomingMessage,
  { bodyKind, rules }: Pick<Endpoint, "bodyKind"> & { readonly rules: UploadRules },
  { files, arrival }: Reading,
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
  if (mediaType === "application/json" && bodyKind === "upload")
    return readJsonUpload(request, files, { ...jsonLimitsOf(rules), arrival });
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
