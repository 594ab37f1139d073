/** A repeat of a failure keeps what its own report said; a message that is no repeat, or an older one, has null here. */
export const repeats = {
  number: 10,
  name: "repeats",
  statements: ["category", "subject", "source", "sender_name", "sender_email", "metadata", "files"].map(
    (column) => `ALTER TABLE messages ADD COLUMN ${column} TEXT`,
  ),
};
