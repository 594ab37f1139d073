/**
 * Returns the word that a person probably meant: the word that needs the fewest changes. Undefined if no word is
 * similar.
 */
export function closest(given: string, words: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const ranked = words
    .map((word) => ({ word, mistakes: distance(wanted, word.toLowerCase()) }))
    .filter(
      ({ word, mistakes }) => mistakes <= Math.max(1, Math.floor(Math.max(word.length, given.length) / 3)),
    )
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.word;
}

/** Returns how many letters must be changed, added, removed or swapped with the next letter to change `a` to `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const isSame = a[row - 1] === b[at - 1];
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
