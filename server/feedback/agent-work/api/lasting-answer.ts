import type { Deps } from "../../../deps.ts";
import type { PreparedAnswer } from "../../../http/answers.ts";
import type { RunState } from "../../proposals/rules.ts";

interface Remembered {
  readonly answer: PreparedAnswer;
  /** The proposal that it shows, if it shows one. */
  readonly run: Pick<RunState, "status" | "expiresAt"> | undefined;
  /** Whether it is still in memory as it was. */
  readonly isKept: () => boolean;
}

/** An answer about a proposal that has nothing to be stored first, and for how long it lasts: an approval may expire. */
export function lastingAnswer(
  { answer, run, isKept }: Remembered,
  { time }: Pick<Deps, "time">,
): PreparedAnswer {
  const from = Number.NEGATIVE_INFINITY;
  if (run?.status !== "approved" || run.expiresAt === null)
    return { ...answer, lasts: { from, until: Number.POSITIVE_INFINITY, isCurrent: isKept } };
  const isCurrent = () => isKept() && !time.isDoubtful();
  return { ...answer, lasts: { from, until: Date.parse(run.expiresAt), isCurrent } };
}
