/**
 * The build uses this function in place of the IMAP library's tables for Japanese character sets. The library needs the
 * tables only to decode parts of a mail. This server reads whole mails as bytes, and parses them with another library.
 */
export function convert(): never {
  throw new Error("Mails are not decoded here.");
}
