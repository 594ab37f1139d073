import { AwsV4Signer } from "aws4fetch";
import type { S3Settings } from "../settings/settings.ts";
import type { S3Request } from "./s3-request.ts";

/** A request as it goes over the wire. */
export interface SignedRequest {
  readonly method: S3Request["method"];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Makes a function that signs requests (AWS Signature Version 4). The hash of the body is signed, so the store checks it. */
export function createSigner(place: S3Settings): (request: S3Request) => Promise<SignedRequest> {
  const { address, region, accessKeyId, secretAccessKey } = place;
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, name, query = {}, headers = {}, body }) => {
    const url = new URL(name === "" ? address : `${address}/${place.prefix}${name}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const signed = await new AwsV4Signer({
      ...{ method, url: url.href, service: "s3", region, accessKeyId, secretAccessKey, cache },
      headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? hashOfNothing },
    }).sign();
    const length: Record<string, string> = body ? { "content-length": String(body.size) } : {};
    return {
      method,
      path: `${signed.url.pathname}${signed.url.search}`,
      headers: { ...Object.fromEntries(signed.headers), ...length },
    };
  };
}
