/** The state of a cycle when it is planned. */
export interface Standing {
  readonly status: "recruiting" | "running";
  readonly closedDays: number;
  /** When the next change is due. */
  readonly nextAt: string;
}

/**
 * The state of a new cycle with these days. If its first day has begun, it runs at once, and past days are closed
 * without misses, because no tester could have missed them. Undefined if its last day is over. Instants are ISO 8601 UTC
 * with milliseconds.
 */
export function standingOf(dayStarts: readonly string[], now: string): Standing | undefined {
  const begun = dayStarts.filter((start) => start <= now).length;
  const nextAt = dayStarts[begun];
  if (nextAt === undefined) return undefined;
  return { status: begun === 0 ? "recruiting" : "running", closedDays: Math.max(0, begun - 1), nextAt };
}
