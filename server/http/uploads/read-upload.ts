import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { feedbackFiles, limits, proofImages } from "../../../src/contract/limits.ts";
import type { Files } from "../../files/files.ts";
import type { IncomingBody } from "../bodies/arrivals.ts";
import { mediaTypeOf, refuseEncoded } from "../bodies/body.ts";
import { readJsonUpload } from "./json-upload.ts";
import { readMultipartUpload } from "./multipart-upload.ts";
import type { Upload } from "./upload.ts";

/**
 * Reads a body with its files: feedback as JSON or as multipart/form-data, a proof as the latter only. Throws
 * `payload_too_large` before it reads a byte too many.
 */
export async function readUpload(
  request: IncomingMessage,
  { bodyKind }: Pick<Endpoint, "bodyKind">,
  { files, arrival }: { readonly files: Files; readonly arrival: IncomingBody | undefined },
): Promise<Upload> {
  refuseEncoded(request);
  const kind = bodyKind === "form" ? proofForm : feedbackForm;
  if (Number(request.headers["content-length"] ?? 0) > kind.body) throw new ApiError("payload_too_large");
  const mediaType = mediaTypeOf(request);
  if (mediaType === "multipart/form-data")
    return readMultipartUpload(request, request.headers, files, { ...kind, arrival });
  if (mediaType === "application/json" && bodyKind === "upload")
    return readJsonUpload(request, files, { ...jsonLimits, arrival });
  const json = bodyKind === "upload" ? "application/json or as " : "";
  throw new ApiError("unsupported_media_type", { message: `Send the body as ${json}multipart/form-data.` });
}

const { images, videos, attachments } = feedbackFiles;

const jsonLimits = {
  files: { "images.*": images.bytes, "videos.*": videos.bytes, "attachments.*.data": attachments.bytes },
  free: "metadata",
  body: limits.feedback,
  text: limits.json,
};

const feedbackForm = {
  files: {
    images: { bytes: images.bytes },
    videos: { bytes: videos.bytes },
    attachments: { bytes: attachments.bytes, named: true },
  },
  json: ["metadata"],
  body: limits.feedback,
  text: limits.json,
};

const proofForm = {
  files: { images: { bytes: proofImages.bytes } },
  json: [],
  body: limits.proof,
  text: limits.json,
};
