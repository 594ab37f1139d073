/**
 * When a person has shown that they read the mail of their account's address; null if they have not. Accounts without a
 * password were made with an address that a provider had verified.
 */
export const verifiedAddresses = {
  number: 74,
  name: "verified-addresses",
  statements: [
    `ALTER TABLE users ADD COLUMN email_verified_at TEXT`,
    `UPDATE users SET email_verified_at = created_at WHERE password_hash = ''`,
  ],
};
