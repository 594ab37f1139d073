/**
 * Replaces the tables for Japanese in the library of the mailbox, which has them for decoded parts of a mail. The server
 * reads whole mails as bytes, and another library takes them apart.
 */
export function convert(): never {
  throw new Error("Mails are not decoded here.");
}
