/**
 * The author of each message. An unknown author counts as the sender, who is not trusted. A note by an agent was created at
 * the same instant as its proposal.
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
