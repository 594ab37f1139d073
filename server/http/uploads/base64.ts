/** Decodes base64 (RFC 4648, padded, nothing but its alphabet and line breaks) that comes in pieces. */
export interface Base64Decoder {
  /** False as soon as the text is not base64; then the decoder is done for. */
  write(bytes: Buffer): boolean;
  /** False where the last group of four is incomplete or wrongly padded. */
  end(): boolean;
  /** The last few characters, not looked at yet: they wait for the rest of their group. */
  held(): string;
}

/** Hands the decoded bytes to `take`, which must be done with them when it returns. */
export function createBase64Decoder(take: (decoded: Buffer) => void): Base64Decoder {
  // Only the last group may carry padding, and only the end tells which that is.
  let held = "";
  return {
    write(broken) {
      const bytes = withoutLineBreaks(broken);
      const total = held.length + bytes.length;
      if (total <= groupLength) {
        held += bytes.toString("latin1");
        return true;
      }
      const begin = (groupLength - held.length) % groupLength;
      const end = bytes.length - (((total - 1) % groupLength) + 1);
      const first = held + bytes.toString("latin1", 0, begin);
      if (!decode(first, bytes.subarray(begin, end), take)) return false;
      held = bytes.toString("latin1", end);
      return true;
    },
    end() {
      if (held === "") return true;
      if (!lastGroup.test(held)) return false;
      take(decoded.subarray(0, decoded.write(held, "base64")));
      return true;
    },
    held: () => held,
  };
}

const groupLength = 4;
const group = /^[A-Za-z0-9+/]{4}$/;
const lastGroup = /^[A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/](=|[A-Za-z0-9+/]))$/;
const pieceLength = 65_536;
// One for all: decoding is synchronous, and a buffer per piece would be garbage at the rate of the upload.
const decoded = Buffer.allocUnsafe((pieceLength / 4) * 3 + 3);

/** Some encoders end a line after each 76 characters. */
function withoutLineBreaks(bytes: Buffer): Buffer {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return Buffer.from(bytes.toString("latin1").replaceAll("\n", "").replaceAll("\r", ""), "latin1");
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Decodes one group or none, and after it any number of groups. */
function decode(first: string, groups: Buffer, take: (decoded: Buffer) => void): boolean {
  if (first !== "" && !group.test(first)) return false;
  // Node skips what is not base64, so a shorter result betrays it; what it reads beside the alphabet is base64url.
  if (groups.includes(0x2d) || groups.includes(0x5f)) return false;
  let offset = decoded.write(first, "base64");
  for (let at = 0; at < groups.length; at += pieceLength) {
    const piece = groups.toString("latin1", at, at + pieceLength);
    const length = decoded.write(piece, offset, "base64");
    if (length !== (piece.length / 4) * 3) return false;
    take(decoded.subarray(0, offset + length));
    offset = 0;
  }
  if (offset > 0) take(decoded.subarray(0, offset));
  return true;
}
