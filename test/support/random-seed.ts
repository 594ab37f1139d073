import { torture } from "./torture.ts";

/** The seed of all random tests of a run. The run prints it at its start; INNKEEP_SEED repeats the run. */
export const runSeed = Number(process.env.INNKEEP_SEED ?? 1);

/**
 * Chooses the seed of a run if INNKEEP_SEED has none, and prints it. The short form always uses the same seed, so that
 * the result depends only on changes of the code. The long form searches for new cases. Called by the process that
 * starts the test files.
 */
export function chooseSeed(): void {
  process.env.INNKEEP_SEED ??= String(torture ? Math.floor(Math.random() * 2 ** 31) : 1);
  process.stdout.write(`Random tests: INNKEEP_SEED=${process.env.INNKEEP_SEED}\n`);
}

/** Random numbers from 0 to below 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
