import type { ImportedChangelogEntry } from "../../contract/changelog.ts";
import { systemReason } from "../../words/system-reason.ts";
import { isGitHubActions } from "../core/ci.ts";
import type { Invocation } from "../core/context.ts";
import { addOutput } from "../core/github-actions.ts";
import { note } from "../core/output.ts";

/** Writes the outputs `version` and `release-note-id` of a step of GitHub Actions. */
export async function tellReleaseToJob(
  invocation: Invocation,
  { id, version }: ImportedChangelogEntry,
): Promise<void> {
  const { env, newId } = invocation.context;
  const file = env.GITHUB_OUTPUT;
  if (!isGitHubActions(env) || !file) return;
  try {
    for (const [name, value] of Object.entries({ version, "release-note-id": id }))
      await addOutput(file, { name, value, delimiter: `innkeep_${newId()}` });
  } catch (cause) {
    note(invocation, `The outputs of the step cannot be written (${systemReason(cause)}).`);
  }
}
