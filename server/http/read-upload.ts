import type { IncomingMessage } from "node:http";
import { ApiError } from "../../src/contract/errors.ts";
import { feedbackFiles, limits } from "../../src/contract/limits.ts";
import type { Files } from "../files/files.ts";
import { mediaTypeOf } from "./body.ts";
import { readJsonUpload } from "./json-upload.ts";
import { readMultipartUpload } from "./multipart-upload.ts";
import type { Upload } from "./upload.ts";

/** Reads a feedback body with its files, as JSON or as multipart/form-data. Throws `payload_too_large` before it reads a byte too many. */
export async function readUpload(request: IncomingMessage, files: Files): Promise<Upload> {
  if (Number(request.headers["content-length"] ?? 0) > limits.feedback)
    throw new ApiError("payload_too_large");
  switch (mediaTypeOf(request)) {
    case "application/json":
      return readJsonUpload(request, files, jsonLimits);
    case "multipart/form-data":
      return readMultipartUpload(request, request.headers, files, multipartForm);
    default:
      throw new ApiError("unsupported_media_type", {
        message: "Send the body as application/json or as multipart/form-data.",
      });
  }
}

const { images, videos, attachments } = feedbackFiles;

const jsonLimits = {
  files: { "images.*": images.bytes, "videos.*": videos.bytes, "attachments.*.data": attachments.bytes },
  body: limits.feedback,
  text: limits.json,
};

const multipartForm = {
  files: {
    images: { bytes: images.bytes },
    videos: { bytes: videos.bytes },
    attachments: { bytes: attachments.bytes, named: true },
  },
  json: ["metadata"],
  body: limits.feedback,
  text: limits.json,
};
