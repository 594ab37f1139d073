import { removeFromBoxes } from "./boxes.ts";
import { type FileBytes, openBytes } from "./file-bytes.ts";
import { removeFromGif } from "./gif.ts";
import { removeFromJpeg } from "./jpeg.ts";
import { removeFromPng } from "./png.ts";
import { removeFromWebp } from "./webp.ts";

/**
 * Removes from a picture or film, in place, the position where it was taken. Pixels, frames, orientation and file size stay
 * the same. Gives whether the file has a complete header of its type: a signature alone is not a picture. `descriptor` must
 * be open for reading and writing. Synchronous, like all writes to temporary files.
 */
export function removePositions(descriptor: number, size: number, mediaType: string): boolean {
  const bytes = openBytes(descriptor, size);
  const isWhole = removeFrom(bytes, mediaType);
  bytes.flush();
  return isWhole;
}

function removeFrom(bytes: FileBytes, mediaType: string): boolean {
  switch (mediaType) {
    case "image/jpeg":
      return removeFromJpeg(bytes);
    case "image/png":
      return removeFromPng(bytes);
    case "image/webp":
      return removeFromWebp(bytes);
    case "image/gif":
      return removeFromGif(bytes);
    case "video/mp4":
    case "video/quicktime":
      removeFromBoxes(bytes);
      return true;
    default:
      return true;
  }
}
