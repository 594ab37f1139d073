/** Runs actions with the same key one after another, in the order of the calls. */
export function keyedQueue(): <T>(key: string, act: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();

  return async (key, act) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(act, act);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
