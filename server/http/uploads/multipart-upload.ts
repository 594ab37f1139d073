import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Files } from "../../files/files.ts";
import { consume } from "../bodies/consume.ts";
import type { MultipartForm } from "./form-fields.ts";
import { createFormParser } from "./multipart-parser.ts";
import { receive, type Upload } from "./upload.ts";

/**
 * Reads a multipart/form-data body and writes its files to disk while it arrives. Each file field becomes a list of
 * ReceivedFile, each other field a string. Files of unknown fields and empty file inputs are ignored. Throws
 * UploadFailure `malformed_multipart`, `too_large` or `aborted`, and FilesUnavailable; then no file is left.
 */
export function readMultipartUpload(
  { body, headers }: { readonly body: Readable; readonly headers: IncomingHttpHeaders },
  files: Files,
  form: MultipartForm,
): Promise<Upload> {
  return receive(files, async (intake) => {
    const parser = createFormParser(headers, intake, form);
    await consume(body, { bytes: form.body, arrival: form.arrival }, parser.write);
    return parser.end();
  });
}
