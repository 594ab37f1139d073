/** The threads of feedback that a release note names. */
export const feedbackOfReleaseNotes = {
  number: 21,
  name: "feedback-of-release-notes",
  statements: [
    `CREATE TABLE changelog_feedback (
      entry_id TEXT NOT NULL REFERENCES changelog_entries (id) ON DELETE CASCADE,
      feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
      PRIMARY KEY (entry_id, feedback_id))`,
    `CREATE INDEX changelog_feedback_by_thread ON changelog_feedback (feedback_id)`,
  ],
};
