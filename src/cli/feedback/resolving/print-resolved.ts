import { note, printOne } from "../../core/output/output.ts";
import { onOneLine } from "../../core/output/plain-text.ts";
import type { Invocation } from "../../core/program/context.ts";
import type { Resolved } from "./resolve-passed.ts";

/** What a run resolved, or why it resolved nothing. */
export type Outcome = Resolved & { readonly why?: string };

/** Prints what was resolved, and what is left because it has not passed everywhere. */
export function printResolved(invocation: Invocation, { resolved, stillFailing, why }: Outcome): void {
  if (why === undefined) {
    note(invocation, `${counted(resolved.length)} resolved.`);
    for (const { consoleUrl, scopes } of stillFailing)
      note(
        invocation,
        `Still open: ${onOneLine(consoleUrl)} has not passed in ${scopes.map(scopeName).join("; ")}.`,
      );
  }
  printOne(invocation, { resolved, stillFailing, why: why ?? null }, () =>
    resolved.map(({ consoleUrl }) => onOneLine(consoleUrl)).join("\n"),
  );
}

/** Says why a run resolves nothing. */
export function nothingResolved(invocation: Invocation, why: string): void {
  note(invocation, why);
  printResolved(invocation, { resolved: [], stillFailing: [], why });
}

const counted = (count: number): string => (count === 1 ? "One thread" : `${count} threads`);

const scopeName = (scope: string): string => (scope === "" ? "a job without a scope" : onOneLine(scope));
