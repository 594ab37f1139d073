/**
 * Who a reply is for, and which report's sender wrote an answer: `report_id` is the id of a thread or of a repeat on it.
 * `link_counter` grows when a report gets a new link to its sender's page. `mail_addresses` has who showed that an address is
 * theirs.
 */
export const answersOfSenders = {
  number: 35,
  name: "answers-of-senders",
  statements: [
    `ALTER TABLE messages ADD COLUMN report_id TEXT`,
    `ALTER TABLE messages ADD COLUMN everyone BIGINT NOT NULL DEFAULT 0`,
    `ALTER TABLE messages ADD COLUMN link_counter BIGINT NOT NULL DEFAULT 0`,
    `ALTER TABLE feedback ADD COLUMN link_counter BIGINT NOT NULL DEFAULT 0`,
    `ALTER TABLE apps ADD COLUMN sender_pages BIGINT NOT NULL DEFAULT 1`,
    `CREATE TABLE mail_addresses (
      app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, recipient TEXT NOT NULL,
      confirmed_at TEXT, unsubscribed_at TEXT, PRIMARY KEY (app_id, recipient))`,
  ],
};
