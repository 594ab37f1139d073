/** Whether text such as XMP, in any encoding, may say where a picture was taken. */
export const namesPosition = (block: Buffer): boolean =>
  position.test(withoutZeros(block).toString("latin1"));

const position = /gps|latitude|longitude|geo:|location/i;

/** Removes the zeros of text with two bytes per letter. `replaceAll` would take a second on a file full of zeros. */
function withoutZeros(block: Buffer): Buffer {
  if (!block.includes(0)) return block;
  const rest = Buffer.allocUnsafe(block.length);
  let length = 0;
  for (const byte of block) if (byte !== 0) rest[length++] = byte;
  return rest.subarray(0, length);
}
