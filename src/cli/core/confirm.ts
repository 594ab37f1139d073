import { usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

/** Whether a question can be asked: a person sits at a terminal, outside CI and without `--no-input`. */
export const canAsk = ({ context, flags }: Pick<Invocation, "context" | "flags">): boolean =>
  context.io.stdin.isTerminal && context.io.stderr.isTerminal && flags.input !== false && !context.env.CI;

/**
 * Continues only if the person agrees: `--yes`, or `y` on the terminal. Throws a usage error that names `--yes` if
 * nobody can be asked, and another if the person declines.
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
