/**
 * Which fields of a release note a person wrote, so that an import keeps them. Of older entries nobody knows: then all
 * count as a person's.
 */
export const editedReleaseNotes = {
  number: 18,
  name: "edited-release-notes",
  statements: [
    `ALTER TABLE changelog_entries ADD COLUMN edited_fields TEXT NOT NULL
     DEFAULT '["title","versions","releaseType","bodyFormat","body","items","publishedAt"]'`,
  ],
};
