/**
 * Who wrote a message, and who last changed an entry of the FAQ, a release note and the settings of an app: the id of an
 * account. It is null for what a sender, an agent or an app key wrote, and for everything from before.
 */
export const authors = {
  number: 29,
  name: "authors",
  statements: [
    `ALTER TABLE messages ADD COLUMN author_id TEXT`,
    `ALTER TABLE faqs ADD COLUMN updated_by TEXT`,
    `ALTER TABLE changelog_entries ADD COLUMN updated_by TEXT`,
    `ALTER TABLE apps ADD COLUMN updated_by TEXT`,
    `ALTER TABLE apps ADD COLUMN updated_at TEXT`,
  ],
};
