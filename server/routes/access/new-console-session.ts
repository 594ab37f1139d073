import type { Deps } from "../../deps.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { consoleSessions } from "../../store/access/console-sessions.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { createAuditWriter } from "./audit-record.ts";

const lifetimeMilliseconds = 30 * 86_400_000;

/** A session as the browser gets it. */
export interface OpenedSession {
  readonly id: string;
  readonly expiresAt: Date;
}

/** A new session, the person who has proved an identity, and their browser. */
export interface ConsoleSignIn {
  readonly opened: OpenedSession;
  readonly user: { readonly id: string; readonly email: string };
  /** The id of the session that the browser had before. */
  readonly old: string | undefined;
  readonly address: string;
}

export const newConsoleSession = ({ clock }: Pick<Deps, "clock">): OpenedSession => ({
  id: randomName(),
  expiresAt: new Date(clock.now().getTime() + lifetimeMilliseconds),
});

/** Signing in ends the browser's earlier session, so that a person who knew its id gains nothing. */
export async function startConsoleSession(
  deps: Pick<Deps, "clock" | "newId" | "time">,
  tx: Transaction,
  { opened, user, old, address }: ConsoleSignIn,
): Promise<void> {
  const createdAt = deps.clock.now().toISOString();
  if (old !== undefined) await consoleSessions.remove(tx, hashOf(old));
  if (!deps.time.isDoubtful()) await consoleSessions.removeExpired(tx, user.id, createdAt);
  const expiresAt = opened.expiresAt.toISOString();
  await consoleSessions.insert(tx, { tokenHash: hashOf(opened.id), userId: user.id, createdAt, expiresAt });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createAuditWriter(deps)(tx, { caller, address }, { action: "session.create" });
}
