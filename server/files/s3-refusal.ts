import type { Readable } from "node:stream";
import { FilesUnavailable } from "./files.ts";

/** The store has refused a request. */
export class S3Refusal extends Error {
  readonly status: number;
  /** The code of the store, such as `AccessDenied`. Empty if it gave none. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The store answers ${status} ${code}`.trim());
    this.name = "S3Refusal";
    this.status = status;
    this.code = code;
  }
}

const mostBytes = 4_194_304;

/** Reads an answer that is text. */
export async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error("The answer of the store is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Why the store has refused. */
export async function refusalOf({
  status,
  body,
}: {
  readonly status: number;
  readonly body: Readable;
}): Promise<S3Refusal> {
  const [, code = ""] = /<Code>(\w+)<\/Code>/.exec(await textOf(body)) ?? [];
  return new S3Refusal(status, code);
}

/** What the operator must change, for a refusal that a second try would get again. Undefined for other errors. */
export function faultOfSettings(error: unknown): string | undefined {
  const cause = error instanceof FilesUnavailable ? error.cause : error;
  if (!(cause instanceof S3Refusal)) return undefined;
  if (cause.code === "NoSuchBucket" || cause.status === 404)
    return `INNKEEP_S3_URL names a bucket that does not exist. Create it, or correct the name.`;
  if (cause.code === "InvalidAccessKeyId")
    return `INNKEEP_S3_URL has an access key that the store does not know.`;
  if (cause.code === "SignatureDoesNotMatch")
    return `INNKEEP_S3_URL has a wrong secret, or special characters in it that are not in percent-encoding.`;
  if (cause.code === "AccessDenied")
    return `INNKEEP_S3_URL has a key that may not use the bucket. It must be allowed to list, read, write and delete.`;
  if (cause.code === "RequestTimeTooSkewed")
    return "The clock of this machine differs from that of the S3 store. Set it with NTP.";
  return `INNKEEP_S3_URL cannot be used: ${cause.message}.`;
}
