import { systemReason } from "../../words/system-reason.ts";
import type { Context } from "./context.ts";
import { addLines } from "./github-actions.ts";

/** Writes into the state of the step when it was set up: before the first step of the job. (rule L21) */
export async function recordStart({ env, clock, newId, io }: Context): Promise<void> {
  const file = env.GITHUB_STATE;
  if (!file) return;
  try {
    const value = clock.now().toISOString();
    await addLines(file, { name: "startedAt", value, delimiter: `innkeep_${newId()}` });
  } catch (cause) {
    io.stderr.write(`The start of the job cannot be recorded (${systemReason(cause)}).\n`);
  }
}
