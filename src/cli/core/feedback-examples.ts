/** The examples of `innkeep feedback`. */
export const feedbackExamples: Readonly<Record<string, readonly string[]>> = {
  "feedback send": [
    'innkeep feedback send --type bug --message "The list is empty after syncing" --image screen.png',
    "innkeep feedback send --type bug --subject 'Tests fail' --message @log.txt --dedupe-key tests --best-effort",
    "innkeep feedback send --type bug --message 'The build fails' --attach build.log",
    "innkeep feedback send --junit 'reports/*.xml' --best-effort",
  ],
  "feedback resolve": [
    "innkeep feedback resolve --junit 'reports/*.xml' --run-status success",
    "innkeep feedback resolve --dedupe-key nightly --run-status success --dedupe-run 1234",
  ],
  "feedback resend": ["innkeep feedback resend --list", "innkeep feedback resend --all"],
  "feedback discard": ["innkeep feedback discard 01a1fda4-237d-759b-ad89-7cf5663516dc --yes"],
  "feedback list": [
    "innkeep feedback list --app Larder --status open --from 2026-11-01",
    "innkeep feedback list --app Larder --tag crash --tag android",
  ],
  "feedback inbox": ["innkeep feedback inbox --app Larder", "innkeep feedback inbox --type bug"],
  "feedback view": [
    "innkeep feedback view 01a1fda4",
    "innkeep feedback view 01a1fda4 --raw feedback.message",
  ],
  "feedback edit": ["innkeep feedback edit 01a1fda4 --status resolved"],
  "feedback assign": [
    "innkeep feedback assign 01a1fda4 me",
    "innkeep feedback assign 01a1fda4 ada@example.org",
  ],
  "feedback saved-replies": ["innkeep feedback saved-replies --app Larder"],
  "feedback tags": ["innkeep feedback tags --app Larder"],
  "feedback tag": ["innkeep feedback tag 01a1fda4 crash android"],
  "feedback untag": ["innkeep feedback untag 01a1fda4 android"],
  "feedback reply": ['innkeep feedback reply 01a1fda4 --body "Fixed in 2.4.0. Thank you!"'],
  "feedback note": ["innkeep feedback note 01a1fda4 --body @note.md"],
};
