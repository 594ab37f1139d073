/** Where a cycle stands when it is planned. */
export interface Standing {
  readonly status: "recruiting" | "running";
  readonly closedDays: number;
  /** When time next changes something by itself. */
  readonly nextAt: string;
}

/**
 * Where a cycle of these days stands: one whose first day has begun runs at once, and the days that are gone are closed,
 * for nobody can have missed them. Undefined where its last day is over. Instants are ISO 8601 UTC with milliseconds.
 */
export function standingOf(dayStarts: readonly string[], now: string): Standing | undefined {
  const begun = dayStarts.filter((start) => start <= now).length;
  const nextAt = dayStarts[begun];
  if (nextAt === undefined) return undefined;
  return { status: begun === 0 ? "recruiting" : "running", closedDays: Math.max(0, begun - 1), nextAt };
}
