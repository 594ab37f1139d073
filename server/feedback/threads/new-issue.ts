import { oneLine } from "../../../src/words/visible.ts";

/** The most characters of a message in the address of a new issue: GitHub refuses addresses above some 8,000 bytes. */
const mostCharacters = 1_000;

const mostTitle = 120;

/**
 * Returns the address of GitHub's form for a new issue, filled with a thread. The words of the sender stand in a fence,
 * so that they name nobody and link to nothing. The name and the address of the sender are not in it.
 */
export function newIssueAddress(
  repository: string,
  {
    subject,
    message,
    consoleUrl,
  }: { readonly subject: string; readonly message: string; readonly consoleUrl: string },
): string {
  const lines = message
    .slice(0, mostCharacters)
    .split("\n")
    .map((line) => oneLine(line));
  const [longest = ""] = [...message.matchAll(/`+/g)].map(([run]) => run).sort((a, b) => b.length - a.length);
  const fence = "`".repeat(Math.max(3, longest.length + 1));
  const rest = message.length > mostCharacters ? ["…"] : [];
  const body = [`Reported by a user: ${consoleUrl}`, "", `${fence}text`, ...lines, ...rest, fence].join("\n");
  const query = new URLSearchParams({ title: oneLine(subject, mostTitle), body });
  return `https://github.com/${repository}/issues/new?${query}`;
}
