import { type FileBytes, openBytes } from "./file-bytes.ts";
import { keepPlayedFilm } from "./film.ts";
import { removeFromPdf } from "./pdf.ts";
import { keepDrawnGif, keepDrawnJpeg, keepDrawnPng, keepDrawnWebp } from "./pictures.ts";
import { keepPlayedWebm } from "./webm.ts";

/**
 * Keeps of a picture or film, in place, what is needed to show it: so the position where it was taken goes, wherever it
 * stands. Pixels, frames, sound, orientation and file size stay the same. Returns whether the file has a complete header of its
 * type: a signature alone is not a picture. `descriptor` must be open for reading and writing. Synchronous, like all writes
 * to temporary files.
 */
export function keepShown(descriptor: number, size: number, mediaType: string): boolean {
  const bytes = openBytes(descriptor, size);
  const isWhole = keepShownOf(bytes, mediaType);
  bytes.flush();
  return isWhole;
}

function keepShownOf(bytes: FileBytes, mediaType: string): boolean {
  switch (mediaType) {
    case "image/jpeg":
      return keepDrawnJpeg(bytes);
    case "image/png":
      return keepDrawnPng(bytes);
    case "image/webp":
      return keepDrawnWebp(bytes);
    case "image/gif":
      return keepDrawnGif(bytes);
    case "video/mp4":
    case "video/quicktime":
      keepPlayedFilm(bytes);
      return true;
    case "video/webm":
      keepPlayedWebm(bytes);
      return true;
    case "application/pdf":
      removeFromPdf(bytes);
      return true;
    // Recognised to be named in a refusal. Nothing of them is kept.
    case "image/heic":
    case "image/avif":
      return true;
    default:
      throw new Error(`No rule says what stays of ${mediaType}`);
  }
}
