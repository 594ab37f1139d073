import type { Deps } from "../../deps.ts";
import { type IdentityRefusal, judgeIdentity } from "../../domain/access/identity-verdict.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { type IdentityKey, type IdentityOwner, identities as rows } from "../../store/access/identities.ts";
import { users } from "../../store/access/users.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { consume } from "../../store/requests/rate-limits.ts";
import { createRecord } from "./audit-record.ts";
import { newConsoleSession, type OpenedSession, startConsoleSession } from "./new-console-session.ts";

/** Somebody as a provider has just proved them. `email` is one that it has verified, as `normaliseEmail` gives it. */
export interface Proven extends IdentityKey {
  readonly providerId: string;
  readonly email: string | undefined;
}

/** Where they come from: who was signed in as they set out, who is now, with which session. */
export interface Origin {
  readonly startedBy: string | undefined;
  readonly caller: ConsoleCaller | undefined;
  readonly sessionId: string | undefined;
  readonly address: string;
}

export type FinishedSignIn =
  | { readonly outcome: "signed_in"; readonly session: OpenedSession }
  | { readonly outcome: "stays" }
  /** Theirs to confirm: `connect` does it. */
  | { readonly outcome: "offered" }
  | { readonly outcome: "refused"; readonly why: IdentityRefusal };

/** For longer than a journey may take. */
const once = { limit: 1, windowSeconds: 1_200 };

/** What an identity of a provider opens here, and how it comes to belong to an account. */
export function identities(deps: Deps) {
  return {
    /** Whether whoever comes back with this state is the first, on any server. */
    isFirst: (state: string): Promise<boolean> =>
      deps.database.write(async (tx) => {
        const verdict = await consume(tx, `journey:${hashOf(state)}`, once, deps.clock);
        return verdict.allowed;
      }),

    /** Signs a proven person in, makes their account, or tells what is in the way: all in one transaction. */
    finishSignIn: (proven: Proven, origin: Origin): Promise<FinishedSignIn> =>
      deps.database.write(async (tx) => {
        await rows.lock(tx, proven);
        const owner = await rows.findOwner(tx, proven);
        const verdict = judgeIdentity({
          ownerId: owner?.id,
          startedBy: origin.startedBy,
          signedInAs: origin.caller?.userId,
          email: proven.email,
          emailTaken: await isTaken(tx, proven.email),
          registration: deps.settings.registration,
        });
        if (verdict.act === "refuse") return { outcome: "refused", why: verdict.why };
        if (verdict.act === "stay") return { outcome: "stays" };
        if (verdict.act === "offer") return { outcome: "offered" };
        const { sessionId: old, address } = origin;
        const user =
          verdict.act === "register" ? await register(deps, tx, { proven, address, ...verdict }) : owner;
        if (!user) return { outcome: "refused", why: "email_taken" };
        const session = newConsoleSession(deps);
        await startConsoleSession(deps, tx, session, { user, old, address });
        return { outcome: "signed_in", session };
      }),

    /** Connects a proven identity to an account. Gives why not, where it cannot. */
    connect: (proven: Proven, user: IdentityOwner, address: string): Promise<IdentityRefusal | undefined> =>
      deps.database.write(async (tx) => {
        await rows.lock(tx, proven);
        const owner = await rows.findOwner(tx, proven);
        if (!owner) await insert(deps, tx, { proven, user, address });
        return owner && owner.id !== user.id ? "another_account" : undefined;
      }),
  };
}

const isTaken = async (tx: Transaction, email: string | undefined): Promise<boolean> =>
  email !== undefined && (await users.findByEmail(tx, email)) !== undefined;

interface NewAccount {
  readonly proven: Proven;
  readonly email: string;
  readonly address: string;
}

/** An account without a password; undefined where its address has been taken this moment. */
async function register(deps: Deps, tx: Transaction, { proven, email, address }: NewAccount) {
  const user = { id: deps.newId(), email, passwordHash: "" };
  const made = await users.insertUnlessTaken(tx, { ...user, createdAt: deps.clock.now().toISOString() });
  if (!made) return undefined;
  await insert(deps, tx, { proven, user, address });
  return user;
}

interface Connection {
  readonly proven: Proven;
  readonly user: IdentityOwner;
  readonly address: string;
}

async function insert(deps: Deps, tx: Transaction, { proven, user, address }: Connection): Promise<void> {
  const { issuer, subject, providerId } = proven;
  await rows.insert(tx, { issuer, subject, userId: user.id, createdAt: deps.clock.now().toISOString() });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createRecord(deps)(tx, { caller, address }, { action: "identity.connect", target: providerId });
}
