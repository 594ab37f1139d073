import { detectMediaType, signatureBytes } from "../src/contract/media-type.ts";
import { uploadUrl } from "./uploads.ts";

const most = { images: 3, bytes: 1_048_576, milliseconds: 10_000 } as const;

export interface LoadedImage {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** The first images of a thread, as many as are on the configured server and not too large. */
export async function loadImages(
  addresses: readonly string[],
  baseUrl: string,
  signal: AbortSignal,
): Promise<LoadedImage[]> {
  const images = await Promise.all(
    addresses.slice(0, most.images).map((address) => loadImage(address, baseUrl, signal)),
  );
  return images.filter((image) => image !== undefined);
}

/** Undefined where it is not on the configured server, too large, gone, or no image by its bytes. */
export async function loadImage(
  address: string,
  baseUrl: string,
  signal: AbortSignal,
): Promise<LoadedImage | undefined> {
  const url = uploadUrl(address, baseUrl);
  if (!url) return undefined;
  const bytes = await download(url, AbortSignal.any([signal, AbortSignal.timeout(most.milliseconds)]));
  signal.throwIfAborted();
  const mimeType = bytes && detectMediaType(bytes.subarray(0, signatureBytes));
  if (!bytes || !mimeType?.startsWith("image/")) return undefined;
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

async function download(url: URL, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    const response = await fetch(url, { signal, redirect: "error" });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > most.bytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
