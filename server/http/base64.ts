/** Decodes strict base64 (RFC 4648, padded, nothing but its alphabet) that comes in pieces. */
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
    write(bytes) {
      const total = held.length + bytes.length;
      if (total > 4) {
        const begin = (4 - held.length) % 4;
        const end = bytes.length - (((total - 1) % 4) + 1);
        const first = Buffer.from(held + bytes.toString("latin1", 0, begin), "latin1");
        if (!decode(first, take) || !decode(bytes.subarray(begin, end), take)) return false;
        held = bytes.toString("latin1", end);
      } else {
        held += bytes.toString("latin1");
      }
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

const lastGroup = /^[A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/](=|[A-Za-z0-9+/]))$/;
const encodedPiece = 65_536;
// One for all: decoding is synchronous, and a buffer per piece would be garbage at the rate of the upload.
const decoded = Buffer.allocUnsafe((encodedPiece / 4) * 3);

// Node skips what is not base64, so a shorter result betrays it; what it reads beside the alphabet is base64url.
function decode(groups: Buffer, take: (decoded: Buffer) => void): boolean {
  if (groups.includes(0x2d) || groups.includes(0x5f)) return false;
  for (let at = 0; at < groups.length; at += encodedPiece) {
    const piece = groups.toString("latin1", at, at + encodedPiece);
    const length = decoded.write(piece, "base64");
    if (length !== (piece.length / 4) * 3) return false;
    take(decoded.subarray(0, length));
  }
  return true;
}
