/** No screen and no camera makes more pixels. A file that claims more was made to exhaust its reader. */
const mostPixels = 2 ** 28;

/** Whether a picture may have this size. */
export const isPictureSize = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width * height <= mostPixels;
