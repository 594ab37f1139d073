export interface ClosingGate {
  /** Runs a call to the database. Rejects if the gate is closed. */
  pass<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Refuses new calls, and waits for the end of the running calls. */
  close(): Promise<void>;
}

/**
 * Creates a gate that counts the running calls to a database. `close` refuses new calls and waits until the running
 * ones have ended, so that no call is interrupted.
 */
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
