/**
 * The report that a mail with a reply is about, so that an answer to it finds its sender. `foreign_from` is the address of an
 * answer that came from another one. `mailboxes` has how far a mailbox was read.
 */
export const answersByMail = {
  number: 36,
  name: "answers-by-mail",
  statements: [
    `ALTER TABLE mails ADD COLUMN report_id TEXT`,
    `ALTER TABLE messages ADD COLUMN foreign_from TEXT`,
    `CREATE TABLE mailboxes (name TEXT PRIMARY KEY, uid_validity TEXT NOT NULL, last_uid BIGINT NOT NULL)`,
  ],
};
