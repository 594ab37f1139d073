import { UploadFailure } from "./upload-failure.ts";

export const malformedForm = (why: string, cause?: unknown) =>
  new UploadFailure("malformed_multipart", `The form ${why}.`, { cause });
