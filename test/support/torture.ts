/** Whether tests run in their long form: many rounds, for a release rather than for each change. */
export const torture = process.env.INNKEEP_TORTURE === "1";

/** The milliseconds that something may take: `goal` if INNKEEP_QUIET=1 says that this machine does nothing else, else any. */
export const quietGoal = (goal: number): number =>
  process.env.INNKEEP_QUIET === "1" ? goal : Number.POSITIVE_INFINITY;

/** The number of rounds in the short form of a test, and in the long one. */
export const rounds = (short: number, long: number): number => (torture ? long : short);
