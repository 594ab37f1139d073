/** No screen and no camera makes so many pixels: only a file that is to exhaust its reader. */
const mostPixels = 2 ** 28;

/** Whether a picture may be so large. */
export const isPictureSize = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width * height <= mostPixels;
