/**
 * Replaces the IMAP library's tables for Japanese character sets in the build. The library only needs them to decode
 * parts of mails. This server reads whole mails as bytes.
 */
export function convert(): never {
  throw new Error("Mails are not decoded here.");
}
