/** A repeat of a failure stores the fields of its own report. They are null for other messages and for older repeats. */
export const repeats = {
  number: 10,
  name: "repeats",
  statements: ["category", "subject", "source", "sender_name", "sender_email", "metadata", "files"].map(
    (column) => `ALTER TABLE messages ADD COLUMN ${column} TEXT`,
  ),
};
