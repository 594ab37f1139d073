import type { RunDecision } from "../../../src/contract/runs.ts";

export interface Compared {
  readonly id: string;
  readonly decision: RunDecision | null;
}

/**
 * The earlier proposal with which a person compares this one; undefined if there is none. It is the one that they have
 * just read (`readId`), or else the last one that was sent back, recalled or expired, or else the one that this replaced.
 * `proposals` are those of the thread, oldest first. (rule A50)
 */
export function comparedProposal<P extends Compared>(
  proposals: readonly P[],
  { id, readId = "" }: { readonly id: string; readonly readId?: string },
): P | undefined {
  const at = proposals.findIndex((proposal) => proposal.id === id);
  const earlier = proposals.slice(0, Math.max(at, 0));
  const read = earlier.find((proposal) => proposal.id === readId);
  if (read) return read;
  const answered = earlier.findLast(({ decision }) => decision !== "replaced");
  if (answered && sentBack.has(answered.decision)) return answered;
  const previous = earlier.at(-1);
  return previous?.decision === "replaced" ? previous : undefined;
}

const sentBack: ReadonlySet<RunDecision | null> = new Set(["request_changes", "recalled", "expired"]);
