/** Whether tests run in their long form: with many rounds, for a release and not for each change. */
export const torture = process.env.INNKEEP_TORTURE === "1";

/**
 * The time limit of something in milliseconds: `goal` if INNKEEP_QUIET=1 says that this machine does nothing else,
 * otherwise no limit.
 */
export const quietGoal = (goal: number): number =>
  process.env.INNKEEP_QUIET === "1" ? goal : Number.POSITIVE_INFINITY;

/** The number of rounds in the short form of a test, and in the long one. */
export const rounds = (short: number, long: number): number => (torture ? long : short);
