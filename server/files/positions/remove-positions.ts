import { removeFromBoxes } from "./boxes.ts";
import { type FileBytes, openBytes } from "./file-bytes.ts";
import { removeFromGif } from "./gif.ts";
import { removeFromJpeg } from "./jpeg.ts";
import { removeFromPng } from "./png.ts";
import { removeFromWebp } from "./webp.ts";

/**
 * Takes out of a picture or film where it was taken, in place: pixels, frames and the size of the file stay, and so does how
 * the picture is turned. Gives whether the file has the whole header of its kind: a signature alone is no picture.
 * `descriptor` is open for reading and writing. Synchronous, like all writing of files under way.
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
