import { detectMediaType, signatureBytes } from "../../src/contract/files/media-type.ts";
import { uploadUrl } from "./upload-url.ts";

const most = { images: 3, bytes: 2 * 1_048_576, milliseconds: 10_000 } as const;

export interface LoadedImage {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** One image: its content, or the reason why it is left out. */
export interface ImageLoading {
  readonly shown: "yes" | "no: over 2 MB" | "no: not to be had" | "no: no image" | "no: only 3 in an answer";
  readonly image?: LoadedImage;
}

/**
 * All images of a thread. The first ones come with their content, if they are on the configured server and not too
 * large.
 */
export const loadImages = (
  addresses: readonly string[],
  baseUrl: string,
  signal: AbortSignal,
): Promise<ImageLoading[]> =>
  Promise.all(
    addresses.map(async (address, index) =>
      index < most.images
        ? loadImage(address, baseUrl, signal)
        : { shown: "no: only 3 in an answer" as const },
    ),
  );

/** One image, if it is on the configured server, not too large, and an image by its bytes. */
export async function loadImage(
  address: string,
  baseUrl: string,
  signal: AbortSignal,
): Promise<ImageLoading> {
  const url = uploadUrl(address, baseUrl);
  if (!url) return { shown: "no: not to be had" };
  const bytes = await download(url, AbortSignal.any([signal, AbortSignal.timeout(most.milliseconds)]));
  signal.throwIfAborted();
  if (bytes === "too large") return { shown: "no: over 2 MB" };
  if (!bytes) return { shown: "no: not to be had" };
  const mimeType = detectMediaType(bytes.subarray(0, signatureBytes));
  if (!mimeType?.startsWith("image/")) return { shown: "no: no image" };
  return { shown: "yes", image: { type: "image", data: bytes.toString("base64"), mimeType } };
}

async function download(url: URL, signal: AbortSignal): Promise<Buffer | "too large" | undefined> {
  try {
    const response = await fetch(url, { signal, redirect: "error" });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > most.bytes) return "too large";
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
