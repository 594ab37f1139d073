import type { Sealer } from "./secrets.ts";

const macDigits = 32;
const macBytes = macDigits / 2;
export const uuidBytes = 16;

/** A kind of link, and how many bytes its token has before the MAC. A token of one kind is not valid for another. */
export interface LinkKind {
  readonly purpose: string;
  readonly headBytes: number;
}

/**
 * Returns the token of a link. It consists of the hexadecimal digits of `head` and a MAC, in base64url. The token is
 * not stored, because it can be computed again at any time. (rules M8, N6)
 */
export const linkTokenOf = (sealer: Pick<Sealer, "mark">, { purpose }: LinkKind, head: string): string =>
  Buffer.from(head + sealer.mark(`${purpose}\n${head}`).slice(0, macDigits), "hex").toString("base64url");

/** Returns the bytes before the MAC of a token. Undefined if this deployment did not create the token. */
export function readLinkToken(
  sealer: Pick<Sealer, "isMark">,
  { purpose, headBytes }: LinkKind,
  token: string,
): Buffer | undefined {
  const digits = Math.ceil(((headBytes + macBytes) * 4) / 3);
  if (token.length !== digits || !/^[\w-]+$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [head, mac] = [bytes.subarray(0, headBytes), bytes.subarray(headBytes)];
  // Several texts can stand for the same bytes. Only one of them is a valid token.
  if (bytes.toString("base64url") !== token) return undefined;
  return sealer.isMark(`${purpose}\n${head.toString("hex")}`, mac.toString("hex")) ? head : undefined;
}

/** Returns a UUID as hexadecimal digits. */
export const digitsOfUuid = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** Returns 16 bytes in the text form of a UUID. */
export const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
