import { detectMediaType, signatureBytes } from "../../src/contract/files.ts";
import type { Deps } from "../deps.ts";
import { uploadUrl } from "./upload-url.ts";

/** The specification's limit of an image, and what one answer holds of them. */
const most = { loaded: 8, bytes: 2 * 1_048_576, together: 6 * 1_048_576, milliseconds: 10_000 } as const;

export interface LoadedImage {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** One image: its content, or the reason why it is only a link. */
export interface ImageLoading {
  readonly shown:
    | "yes"
    | "no: over 2 MB"
    | "no: over 6 MB together"
    | "no: not available"
    | "no: not an image";
  readonly image?: LoadedImage;
}

export type ImageDeps = Pick<Deps, "baseUrl" | "download">;

/**
 * All images of a thread. They come with their content if they are on the configured server, each one and all together
 * not too large.
 */
export async function loadImages(
  addresses: readonly string[],
  deps: ImageDeps,
  signal: AbortSignal,
): Promise<ImageLoading[]> {
  const first = addresses.slice(0, most.loaded).map((address) => loadImage(address, deps, signal));
  let left: number = most.together;
  const loaded = (await Promise.all(first)).map((loading): ImageLoading => {
    const size = bytesOf(loading);
    if (size > left) return tooMuch;
    left -= size;
    return loading;
  });
  return addresses.map((_, index) => loaded[index] ?? tooMuch);
}

const tooMuch: ImageLoading = { shown: "no: over 6 MB together" };

const bytesOf = ({ image }: ImageLoading): number => (image ? Buffer.byteLength(image.data, "base64") : 0);

/** One image, if it is on the configured server, not too large, and an image by its bytes. */
export async function loadImage(
  address: string,
  { baseUrl, download }: ImageDeps,
  signal: AbortSignal,
): Promise<ImageLoading> {
  const url = uploadUrl(address, baseUrl);
  if (!url) return { shown: "no: not available" };
  const bytes = await download(
    url,
    most.bytes,
    AbortSignal.any([signal, AbortSignal.timeout(most.milliseconds)]),
  );
  signal.throwIfAborted();
  if (bytes === "too large") return { shown: "no: over 2 MB" };
  if (!bytes) return { shown: "no: not available" };
  const mimeType = detectMediaType(bytes.subarray(0, signatureBytes));
  if (!mimeType?.startsWith("image/")) return { shown: "no: not an image" };
  return { shown: "yes", image: { type: "image", data: bytes.toString("base64"), mimeType } };
}
