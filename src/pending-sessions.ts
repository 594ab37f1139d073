import type { ReportedSession } from "./session-calls.ts";

/** A test session that is not reported yet. It holds no test key and may be stored. */
export interface PendingSession extends ReportedSession {
  readonly idempotencyKey: string;
}

/** Sessions in the order of their ends. If there are too many, the oldest is dropped. */
export interface PendingSessions {
  all(): readonly PendingSession[];
  add(session: PendingSession): void;
  remove(session: PendingSession): void;
  clear(): void;
}

/** `changed` is called after every change, with all pending sessions. */
export function createPendingSessions(
  kept: readonly PendingSession[],
  most: number,
  changed: (pending: readonly PendingSession[]) => void,
): PendingSessions {
  let pending = kept.slice(-most);
  const replaceWith = (next: PendingSession[]) => {
    pending = next;
    changed([...next]);
  };
  return {
    all: () => [...pending],
    add: (session) => replaceWith([...pending, session].slice(-most)),
    remove: (session) =>
      replaceWith(pending.filter(({ idempotencyKey }) => idempotencyKey !== session.idempotencyKey)),
    clear: () => replaceWith([]),
  };
}
