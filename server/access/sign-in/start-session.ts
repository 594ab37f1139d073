import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { createAuditWriter } from "../audit/record.ts";
import { hourOf } from "../hour-of.ts";
import { browserName } from "./browser-name.ts";
import { consoleSessions } from "./store.ts";

const lifetimeMilliseconds = 30 * 86_400_000;

/** A session as the browser gets it. */
export interface OpenedSession {
  readonly id: string;
  readonly expiresAt: Date;
}

/** The browser in which a person signs in. */
export interface SigningBrowser {
  /** The id of the session that it had before. */
  readonly sessionId: string | undefined;
  readonly userAgent: string | undefined;
}

/** A new session, the person who has proved an identity, and their browser. */
export interface ConsoleSignIn {
  readonly opened: OpenedSession;
  readonly user: { readonly id: string; readonly email: string };
  readonly browser: SigningBrowser;
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
  { opened, user, browser, address }: ConsoleSignIn,
): Promise<void> {
  const now = deps.clock.now();
  const createdAt = now.toISOString();
  if (browser.sessionId !== undefined) await consoleSessions.remove(tx, hashOf(browser.sessionId));
  if (!deps.time.isDoubtful()) await consoleSessions.removeExpired(tx, user.id, createdAt);
  await consoleSessions.insert(tx, {
    ...{ id: deps.newId(), tokenHash: hashOf(opened.id), userId: user.id },
    browser: browserName(browser.userAgent),
    createdAt,
    lastUsedAt: hourOf(now),
    expiresAt: opened.expiresAt.toISOString(),
  });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createAuditWriter(deps)(tx, { caller, address }, { action: "session.create" });
}
