// A token has 50 characters and begins with the id of a report: a UUID of version 7. Its first bits are 0 until the
// year 2109. These patterns check them, the version and the variant, so that the links of other sites are kept. The
// tests use the tokens of real reports.
const ownToken = idPattern("[\\w-]");

// Some programs that check links write `_` as `-5F` and `-` as `-2D`.
const changedToken = idPattern("(?:-5F|-2D|[\\w-])");

function idPattern(one: string): string {
  return `(?=A${one}{7}[c-f]${one}[CGKOSWaeimquy26-])`;
}

// Matches a link to a sender's page. Also matches a link that is encoded inside another address, because programs
// that check links in mails encode them in this way. A token has fewer characters if the text was cut.
const slash = "(?:/|%(?:25){0,3}2[Ff])";
const link = new RegExp(
  `(${slash}[Pp]${slash}[Tt]${slash})${ownToken}[\\w-]{20,}|(_[Pp]_[Tt]_)${changedToken}[\\w-]{50,}`,
  "g",
);

/**
 * Removes the tokens of sender's pages from a text. Mail programs quote these links and people paste them, but the
 * members who read the thread must not get them. (rule M8)
 */
export const withoutSenderLinks = (text: string): string => text.replace(link, "$1$2…");
