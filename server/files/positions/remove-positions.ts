import { type FileBytes, openBytes } from "./file-bytes.ts";
import { keepPlayedFilm } from "./film.ts";
import { removeFromPdf } from "./pdf.ts";
import { keepDrawnGif, keepDrawnJpeg, keepDrawnPng, keepDrawnWebp } from "./pictures.ts";
import { keepPlayedWebm } from "./webm.ts";

/**
 * Overwrites everything in a picture, film or PDF that is not needed to show it, such as the position where it was
 * taken. Pixels, frames, sound, orientation and file size do not change. `descriptor` must be open for reading and
 * writing, `size` is in bytes. Returns whether the file has a complete header of its type: a file that has only the
 * first bytes of a picture has no complete header. Throws an Error for an unknown media type. It is synchronous, like
 * all writes to temporary files. (rule F17)
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
    // The server recognises these types only so that the refusal can name them. Such files are never stored.
    case "image/heic":
    case "image/avif":
      return true;
    default:
      throw new Error(`There is no rule for the data to keep in ${mediaType}`);
  }
}
