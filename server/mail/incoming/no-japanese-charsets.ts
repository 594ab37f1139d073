/**
 * In the build, this file replaces the tables for Japanese character sets in the IMAP library. The library
 * needs these tables only to decode parts of mails, but this server reads whole mails as bytes.
 */
export function convert(): never {
  throw new Error("Mails are not decoded here.");
}
