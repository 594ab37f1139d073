const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const checksumLength = 6;

/** The part before the last `1`, in lower case, and the bytes after it. */
export interface Bech32 {
  readonly prefix: string;
  readonly bytes: Buffer;
}

/** Reads a text in Bech32 (BIP 173) of any length. Undefined if it is none, or its checksum does not fit. */
export function readBech32(text: string): Bech32 | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const end = lower.lastIndexOf("1");
  const prefix = lower.slice(0, Math.max(end, 0));
  const values = [...lower.slice(end + 1)].map((letter) => alphabet.indexOf(letter));
  if (!/^[\x21-\x7e]+$/.test(prefix) || values.length < checksumLength || values.includes(-1))
    return undefined;
  if (checksumOf([...expanded(prefix), ...values]) !== 1) return undefined;
  const bytes = bytesOf(values.slice(0, -checksumLength));
  return bytes && { prefix, bytes };
}

function expanded(prefix: string): number[] {
  const codes = [...Buffer.from(prefix)];
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function checksumOf(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum;
}

/** Groups of 5 bits as bytes. Undefined if what is left over is a whole group, or is not zero. */
function bytesOf(groups: readonly number[]): Buffer | undefined {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const group of groups) {
    held = (held << 5) | group;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >> bits);
    held &= (1 << bits) - 1;
  }
  return bits < 5 && held === 0 ? Buffer.from(bytes) : undefined;
}
