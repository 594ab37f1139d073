/** Makes a function that is true at the first call with a key. It remembers only the newest `most` keys. */
export function firstTimes(most = 1_000): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return false;
    seen.add(key);
    for (const oldest of seen) if (seen.size > most) seen.delete(oldest);
    return true;
  };
}
