/** A seed for a random test, printed so that INNKEEP_SEED can repeat the run. */
export function seedFor(test: string): number {
  const seed = Number(process.env.INNKEEP_SEED ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`${test}: INNKEEP_SEED=${seed}\n`);
  return seed;
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
