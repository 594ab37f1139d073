/** Whether text of any encoding, such as XMP, may tell where a picture was taken. */
export const namesPosition = (block: Buffer): boolean =>
  position.test(block.toString("latin1").replaceAll("\0", ""));

const position = /gps|latitude|longitude|geo:|location/i;
