import { uuidBytes, uuidOf } from "../../secrets/link-tokens.ts";
import type { Sealer } from "../../secrets/secrets.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const macDigits = 20;
const bitsOfDigit = 5;
const form = /^[a-z2-7]{42}$/i;

/**
 * Returns the token for the reply address of a mail. The token consists of the id of the mail and a MAC. It is in
 * base32, because mail servers may change upper and lower case in an address. The token gives no access to the sender's
 * page. (rule M12)
 */
export const replyTokenOf = (sealer: Pick<Sealer, "mark">, mailId: string): string =>
  base32(
    Buffer.from(mailId.replaceAll("-", "") + sealer.mark(markedText(mailId)).slice(0, macDigits), "hex"),
  );

/**
 * Returns the id of the mail to which a reply address belongs; undefined if this deployment did not create the token.
 */
export function readReplyToken(sealer: Pick<Sealer, "isMark">, token: string): string | undefined {
  const bytes = form.test(token) ? fromBase32(token.toLowerCase()) : undefined;
  if (bytes?.length !== uuidBytes + macDigits / 2) return undefined;
  const id = uuidOf(bytes.subarray(0, uuidBytes));
  return sealer.isMark(markedText(id), bytes.subarray(uuidBytes).toString("hex")) ? id : undefined;
}

const markedText = (mailId: string): string => `answer by mail\n${mailId}`;

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => alphabet[Number.parseInt(digit.padEnd(bitsOfDigit, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer | undefined {
  const digits = [...text].map((digit) => alphabet.indexOf(digit));
  if (digits.includes(-1)) return undefined;
  const bits = digits.map((digit) => digit.toString(2).padStart(bitsOfDigit, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  // The unused bits must be 0, so that there is only one valid text for a token.
  if (/1/.test(bits.slice(bytes.length * 8))) return undefined;
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
