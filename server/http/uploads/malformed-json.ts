import { UploadFailure } from "./upload-failure.ts";

export const malformedJson = (why: string) => new UploadFailure("malformed_json", `The body ${why}.`);
