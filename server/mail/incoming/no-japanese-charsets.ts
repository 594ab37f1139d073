/**
 * Replaces the IMAP library's tables for Japanese in the build. This server does not decode mails with that
 * library.
 */
export function convert(): never {
  throw new Error("Mails are not decoded here.");
}
