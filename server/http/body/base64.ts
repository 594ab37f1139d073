/** Decodes base64 that arrives in pieces (RFC 4648 with padding; only its alphabet and line breaks). */
export interface Base64Decoder {
  /** False as soon as the text is not base64. The decoder must not be used after that. */
  write(bytes: Buffer): boolean;
  /** False if the last group of four is incomplete or has wrong padding. */
  end(): boolean;
  /** The last few characters, which wait for the rest of their group. */
  held(): string;
}

/** Passes the decoded bytes to `take`, which must not keep them. */
export function createBase64Decoder(take: (decoded: Buffer) => void): Base64Decoder {
  // Only the last group may have padding, and only the end shows which group is the last.
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
// One buffer for all uploads: decoding is synchronous, and a buffer for each piece would become garbage at the rate of
// the upload.
const decoded = Buffer.allocUnsafe((pieceLength / 4) * 3 + 3);

/** Some encoders break lines after 76 characters. */
function withoutLineBreaks(bytes: Buffer): Buffer {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return Buffer.from(bytes.toString("latin1").replaceAll("\n", "").replaceAll("\r", ""), "latin1");
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Decodes `first`, which is one group or empty, then `groups`. */
function decode(first: string, groups: Buffer, take: (decoded: Buffer) => void): boolean {
  if (first !== "" && !group.test(first)) return false;
  // Node skips characters that are not base64, which makes the result shorter. Node also accepts base64url, which is
  // refused here.
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
