/** Whether the long form of the heavy tests is wanted. */
export const torture = process.env.INNKEEP_TORTURE === "1";

/** How many rounds a heavy test runs. */
export const rounds = (short: number, long: number): number => (torture ? long : short);
