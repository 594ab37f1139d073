/** How often a server began to read the newest mail of a mailbox. A mail that ends the server each time is given up. */
export const attemptsAtMails = {
  number: 95,
  name: "attempts-at-mails",
  statements: [
    `ALTER TABLE mailboxes ADD COLUMN tried_uid BIGINT`,
    `ALTER TABLE mailboxes ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0`,
    `ALTER TABLE mailboxes ADD COLUMN tried_at TEXT`,
  ],
};
