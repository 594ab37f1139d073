/**
 * Who wrote each message. What is not known counts as the sender's: nobody trusts that. An agent's note was made at the
 * same instant as its run.
 */
export const messageAuthors = {
  number: 16,
  name: "message-authors",
  statements: [
    `ALTER TABLE messages ADD COLUMN author TEXT NOT NULL DEFAULT 'sender'`,
    `UPDATE messages SET author = CASE
       WHEN body LIKE 'An agent proposes:%' OR EXISTS (
         SELECT 1 FROM runs r WHERE r.feedback_id = messages.feedback_id AND r.created_at = messages.created_at)
       THEN 'agent' ELSE 'team' END
     WHERE direction <> 'inbound'`,
  ],
};
