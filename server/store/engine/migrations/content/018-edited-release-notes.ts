/**
 * The fields of a release note that a person wrote, so that an import keeps them. For older entries this is not known, so
 * all their fields count as written by a person.
 */
export const editedReleaseNotes = {
  number: 18,
  name: "edited-release-notes",
  statements: [
    `ALTER TABLE changelog_entries ADD COLUMN edited_fields TEXT NOT NULL
     DEFAULT '["title","versions","releaseType","bodyFormat","body","items","publishedAt"]'`,
  ],
};
