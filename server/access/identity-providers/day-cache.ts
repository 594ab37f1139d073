const lifetimeMilliseconds = 86_400_000;

/** Caches the result of `make` for a day. A failure is not cached. */
export function cachedForDay<Made>(make: () => Promise<Made>, now: () => Date): () => Promise<Made> {
  let made: { readonly result: Promise<Made>; readonly until: number } | undefined;
  return () => {
    const at = now().getTime();
    if (made && at < made.until) return made.result;
    const making = { result: make(), until: at + lifetimeMilliseconds };
    made = making;
    making.result.catch(() => {
      if (made === making) made = undefined;
    });
    return making.result;
  };
}
