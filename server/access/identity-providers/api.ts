import type { PasskeyRequest } from "../../../src/contract/account.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { consume } from "../../http/rate-limits/store.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { createNameChange } from "../accounts/changes.ts";
import { users } from "../accounts/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import {
  type ConsoleSignIn,
  newConsoleSession,
  type OpenedSession,
  type SigningBrowser,
  sealStep,
  startConsoleSession,
  stepOf,
} from "../sign-in/start-session.ts";
import { passkeyRequestFor } from "../sign-in-methods/passkey-challenges.ts";
import { hasSecondFactor } from "../sign-in-methods/prove.ts";
import {
  type IdentityKey,
  type IdentityOwner,
  passkeys,
  identities as rows,
  secondFactors,
} from "../sign-in-methods/store.ts";
import { type IdentityRefusal, judgeIdentity } from "./rules.ts";

/** An identity that a provider has just proved. */
export interface ProvenIdentity extends IdentityKey {
  readonly providerId: string;
  /** The address that the provider has verified, as `normaliseEmail` returns it. */
  readonly email: string | undefined;
  /** The name of the person at the provider; undefined if the provider sends no name that can be shown. */
  readonly name: string | undefined;
}

export type FinishedSignIn =
  | { readonly outcome: "signed_in"; readonly session: OpenedSession }
  /** The page must ask for the second factor. `step` is an encrypted proof of the first factor. */
  | { readonly outcome: "second_factor"; readonly step: string; readonly passkey: PasskeyRequest | null }
  /** The identity is already connected to the account that is signed in, so nothing changes. */
  | { readonly outcome: "stays" }
  /**
   * The person must first confirm that the identity is connected to the account. Then the route calls
   * `connect`.
   */
  | { readonly outcome: "offered" }
  | { readonly outcome: "refused"; readonly why: IdentityRefusal };

/** This rate limit allows one use of each `state`. The time window is longer than a sign-in may take. */
const once = { limit: 1, windowSeconds: 1_200 };

export type IdentityDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/** Signs people in with identities of providers, and connects identities to accounts. */
export function identities(deps: IdentityDeps) {
  return {
    /** Returns true only for the first call with this `state`, even if other servers got the earlier calls. */
    isFirst: (state: string): Promise<boolean> =>
      deps.database.write(async (tx) => {
        const verdict = await consume(tx, {
          key: `providerSignIn:${hashOf(state)}`,
          rule: once,
          clock: deps.clock,
        });
        return verdict.allowed;
      }),

    /**
     * Signs in or registers the person with this identity, if that is allowed. Uses one transaction. A refusal
     * changes nothing.
     */
    finishSignIn: (
      proven: ProvenIdentity,
      origin: {
        /** The account that was signed in when the sign-in started. */
        readonly startedBy: string | undefined;
        /** The person who is signed in now. */
        readonly caller: ConsoleCaller | undefined;
        readonly browser: SigningBrowser;
        readonly address: string;
      },
    ): Promise<FinishedSignIn> =>
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
        if (verdict.action === "refuse") return { outcome: "refused", why: verdict.why };
        if (verdict.action === "stay") return { outcome: "stays" };
        if (verdict.action === "offer") return { outcome: "offered" };
        const { browser, address } = origin;
        const user =
          verdict.action === "register" ? await register(deps, tx, { proven, address, ...verdict }) : owner;
        if (!user) return { outcome: "refused", why: "email_taken" };
        if (user.email === proven.email) await users.verify(tx, user.id, deps.clock.now().toISOString());
        return signInOrAsk(deps, tx, { user, browser, address }, proven.name);
      }),

    /** Connects an identity to an account. Returns `another_account` if the identity belongs to another account. */
    connect: (
      proven: ProvenIdentity,
      user: IdentityOwner,
      address: string,
    ): Promise<IdentityRefusal | undefined> =>
      deps.database.write(async (tx) => {
        await rows.lock(tx, proven);
        const owner = await rows.findOwner(tx, proven);
        if (!owner) await insert(deps, tx, proven, user, address);
        return owner && owner.id !== user.id ? "another_account" : undefined;
      }),
  };
}

/**
 * Signs the person in, or asks for the second factor. Gives a nameless account the provider's `name`.
 * (rule K33)
 */
async function signInOrAsk(
  deps: IdentityDeps,
  tx: Transaction,
  signingIn: Omit<ConsoleSignIn, "opened">,
  name: string | undefined,
): Promise<FinishedSignIn> {
  const { id } = signingIn.user;
  await secondFactors.lock(tx, id);
  if (await hasSecondFactor(tx, id)) {
    const passwordHash = (await users.find(tx, id))?.passwordHash ?? "";
    const rows = await passkeys.list(tx, id);
    const step = sealStep(deps, stepOf({ id, passwordHash }));
    return { outcome: "second_factor", step, passkey: passkeyRequestFor(deps, signingIn.user, rows) };
  }
  const { user, address } = signingIn;
  if (name !== undefined && (await users.find(tx, id))?.name === null) {
    const caller = { kind: "session", id, userId: id, email: user.email } as const;
    await createNameChange(deps)(tx, { caller, address }, name);
  }
  const session = newConsoleSession(deps);
  await startConsoleSession(deps, tx, { opened: session, ...signingIn });
  return { outcome: "signed_in", session };
}

const isTaken = async (tx: Transaction, email: string | undefined): Promise<boolean> =>
  email !== undefined && (await users.findByEmail(tx, email)) !== undefined;

/**
 * Creates an account with the identity. Undefined if somebody else has just created an account with this
 * address.
 */
async function register(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    proven,
    email,
    address,
  }: { readonly proven: ProvenIdentity; readonly email: string; readonly address: string },
) {
  const user = { id: deps.newId(), email, passwordHash: "" };
  const at = deps.clock.now().toISOString();
  const made = await users.insertUnlessTaken(tx, { ...user, createdAt: at, emailVerifiedAt: at });
  if (!made) return undefined;
  await insert(deps, tx, proven, user, address);
  return user;
}

async function insert(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  proven: ProvenIdentity,
  user: IdentityOwner,
  address: string,
): Promise<void> {
  const { issuer, subject, providerId } = proven;
  await rows.insert(tx, { issuer, subject, userId: user.id, createdAt: deps.clock.now().toISOString() });
  const caller = { kind: "session", id: user.id, userId: user.id, email: user.email } as const;
  await createAuditWriter(deps)(tx, { caller, address }, { action: "identity.connect", target: providerId });
}
