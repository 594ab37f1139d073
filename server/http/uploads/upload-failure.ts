export type UploadFault =
  | "malformed_json"
  | "malformed_multipart"
  | "too_large"
  | "too_many_files"
  | "aborted";

/** A request body that cannot be read as a whole. The message tells the sender what to change. */
export class UploadFailure extends Error {
  readonly fault: UploadFault;

  constructor(fault: UploadFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UploadFailure";
    this.fault = fault;
  }
}

export const malformedForm = (why: string, cause?: unknown) =>
  new UploadFailure("malformed_multipart", `The form ${why}.`, { cause });

export const malformedJson = (why: string) => new UploadFailure("malformed_json", `The body ${why}.`);
