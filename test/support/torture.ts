/** Whether tests run in their long form: many rounds, for a release rather than for each change. */
export const torture = process.env.INNKEEP_TORTURE === "1";

/** So many rounds in the short form of a test, so many in the long one. */
export const rounds = (short: number, long: number): number => (torture ? long : short);
