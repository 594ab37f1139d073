import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { noticeBrowsers } from "../../notices/browsers/store.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import type { UserRow } from "../accounts/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { hourOf } from "../credentials.ts";
import { browserName } from "./rules.ts";
import { consoleSessions } from "./store.ts";

const sessionMilliseconds = 30 * 86_400_000;

/** The values of a new session that are needed for its cookie. */
export interface OpenedSession {
  readonly id: string;
  readonly expiresAt: Date;
}

/** The browser in which a person signs in. */
export interface SigningBrowser {
  /** The id of the earlier session in this browser; undefined if there is none. */
  readonly sessionId: string | undefined;
  readonly userAgent: string | undefined;
}

/** A sign-in to the console for which the person has proved all factors. */
export interface ConsoleSignIn {
  readonly opened: OpenedSession;
  readonly user: { readonly id: string; readonly email: string };
  readonly browser: SigningBrowser;
  readonly address: string;
}

export const newConsoleSession = ({ clock }: Pick<Deps, "clock">): OpenedSession => ({
  id: randomName(),
  expiresAt: new Date(clock.now().getTime() + sessionMilliseconds),
});

/** Starts a session. Ends this browser's earlier session, because somebody else may know its id. */
export async function startConsoleSession(
  deps: Pick<Deps, "clock" | "newId" | "time">,
  tx: Transaction,
  { opened, user, browser, address }: ConsoleSignIn,
): Promise<void> {
  const now = deps.clock.now();
  const createdAt = now.toISOString();
  if (browser.sessionId !== undefined) {
    const [before, after] = [hashOf(browser.sessionId), hashOf(opened.id)];
    await noticeBrowsers.move(tx, {
      userId: user.id,
      before,
      after,
      expiresAt: opened.expiresAt.toISOString(),
    });
    await consoleSessions.remove(tx, before);
  }
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

const stepMilliseconds = 600_000;

/** The state of a sign-in after its first step, in which the person has proved the first factor. */
interface SignInStep {
  readonly userId: string;
  /** A hash of the stored password hash. A change of the password makes the step invalid. */
  readonly password: string;
}

export const stepOf = ({ id, passwordHash }: Pick<UserRow, "id" | "passwordHash">): SignInStep => ({
  userId: id,
  password: hashOf(passwordHash),
});

/**
 * Encrypts the state after the first step, for ten minutes. Never put the result into an address. (rule S23)
 */
export const sealStep = ({ sealer, clock }: Pick<Deps, "sealer" | "clock">, step: SignInStep): string =>
  sealer.seal(JSON.stringify({ ...step, kind: "step", expiresAt: clock.now().getTime() + stepMilliseconds }));

/** Decrypts a first step. Returns undefined if the value is expired or was not encrypted by this deployment. */
export function openStep(
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  sealed: string,
): SignInStep | undefined {
  const { kind, userId, password, expiresAt } = Object(contentOf(sealer, sealed));
  if (kind !== "step" || typeof userId !== "string" || typeof password !== "string") return undefined;
  return clock.now().getTime() < Number(expiresAt) ? { userId, password } : undefined;
}

function contentOf({ open }: Deps["sealer"], sealed: string): unknown {
  try {
    return JSON.parse(open(sealed));
  } catch {
    return undefined;
  }
}
