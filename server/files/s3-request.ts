import type { Readable } from "node:stream";

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** The name of the object, without the prefix of the settings. Empty for the bucket. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
}

export interface S3Body {
  readonly size: number;
  readonly sha256: string;
  /** Opens the content, once for each try. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

export interface S3Answer {
  /** 200 to 299, or 404. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Must be read or destroyed. */
  readonly body: Readable;
}

/**
 * Sends one request to the store. Tries again after a failure that may pass. Throws FilesUnavailable if the store cannot be
 * reached, or refuses; then the cause says why.
 */
export type SendToS3 = (request: S3Request) => Promise<S3Answer>;
