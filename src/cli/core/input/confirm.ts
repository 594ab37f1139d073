import { usageError } from "../failures/cli-error.ts";
import type { Invocation } from "../program/context.ts";

/** Whether a question can be asked: a person sits at both ends, and nothing said not to ask. */
export const canAsk = ({ context, flags }: Invocation): boolean =>
  context.io.stdin.isTerminal && context.io.stderr.isTerminal && flags.input !== false && !context.env.CI;

/**
 * Goes on only when the person agrees: `--yes`, or a `y` on the terminal. Throws a usage error that names `--yes`
 * where nobody can be asked, and one that says so where the person declines.
 */
export async function confirm(invocation: Invocation, question: string): Promise<void> {
  const { context, flags } = invocation;
  if (flags.yes || flags.dryRun) return;
  if (!canAsk(invocation)) {
    throw usageError(`${question} Nobody can be asked here.`, "Add --yes to go ahead.");
  }
  const answer = await context.io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError("Nothing was changed.");
}
