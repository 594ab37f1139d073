export interface ClosingGate {
  /** Makes the call, or rejects once the door is closed. */
  pass<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Lets no more calls in, and waits for the last one to end. */
  close(): Promise<void>;
}

/** What every call to a database goes through, so that closing it cuts none off. */
export function createClosingGate(): ClosingGate {
  let closed = false;
  let inside = 0;
  let empty = () => {};

  return {
    async pass(call) {
      if (closed) throw new Error("The database is closed.");
      inside++;
      try {
        return await call();
      } finally {
        inside--;
        if (inside === 0) empty();
      }
    },
    async close() {
      closed = true;
      if (inside > 0)
        await new Promise<void>((resolve) => {
          empty = resolve;
        });
    },
  };
}
