/** Whether text of any encoding, such as XMP, may tell where a picture was taken. */
export const namesPosition = (block: Buffer): boolean =>
  position.test(withoutZeros(block).toString("latin1"));

const position = /gps|latitude|longitude|geo:|location/i;

/** Text of two bytes per letter has them. `replaceAll` would take a second where a film consists of them. */
function withoutZeros(block: Buffer): Buffer {
  if (!block.includes(0)) return block;
  const rest = Buffer.allocUnsafe(block.length);
  let length = 0;
  for (const byte of block) if (byte !== 0) rest[length++] = byte;
  return rest.subarray(0, length);
}
