/** When the mails about a release note were queued for the senders of the feedback that it names. Older notes send no mail. */
export const toldSenders = {
  number: 37,
  name: "told-senders",
  statements: [
    `ALTER TABLE changelog_entries ADD COLUMN told_at TEXT`,
    `UPDATE changelog_entries SET told_at = published_at WHERE published_at IS NOT NULL`,
    `CREATE INDEX changelog_untold ON changelog_entries (published_at) WHERE told_at IS NULL AND published_at IS NOT NULL`,
  ],
};
