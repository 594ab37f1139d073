import type { Invocation } from "../core/context.ts";
import { markdownLink } from "../core/github-actions.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { summarise } from "../delivery/tell-ci-job.ts";
import type { Resolved } from "./resolve-passed.ts";

/** What a run resolved, or why it resolved nothing. */
export type Outcome = Resolved & { readonly why?: string };

/** Prints what was resolved, and what is left because it has not passed everywhere. */
export function printResolved(invocation: Invocation, { resolved, stillFailing, why }: Outcome): void {
  if (why === undefined) {
    note(invocation, `${counted(resolved.length)} resolved.`);
    for (const thread of stillFailing) note(invocation, whyOpen(thread));
  }
  printOne(invocation, { resolved, stillFailing, why: why ?? null }, () =>
    resolved.map(({ consoleUrl }) => onOneLine(consoleUrl)).join("\n"),
  );
}

/** Older servers do not say `reportedLater`. */
function whyOpen({ consoleUrl, scopes, reportedLater }: Resolved["stillFailing"][number]): string {
  const where = `has not passed in ${scopes.map(scopeName).join("; ")}`;
  const since = reportedLater ? ", and was reported after this run had started" : "";
  return `Still open: ${onOneLine(consoleUrl)} ${where}${since}.`;
}

/** Adds the resolved threads to the summary page of a GitHub Actions job. */
export async function tellResolved(invocation: Invocation, { resolved }: Resolved): Promise<void> {
  if (resolved.length === 0) return;
  const links = resolved.slice(0, mostLinks).map(({ id, consoleUrl }) => `- ${markdownLink(id, consoleUrl)}`);
  const more = resolved.length > mostLinks ? [`and ${resolved.length - mostLinks} more`] : [];
  await summarise(invocation, ["### Resolved feedback", links.join("\n"), ...more]);
}

const mostLinks = 100;

/** Says why a run resolves nothing. */
export function nothingResolved(invocation: Invocation, why: string): void {
  note(invocation, why);
  printResolved(invocation, { resolved: [], stillFailing: [], why });
}

const counted = (count: number): string => (count === 1 ? "One thread" : `${count} threads`);

const scopeName = (scope: string): string => (scope === "" ? "a job without a scope" : onOneLine(scope));
