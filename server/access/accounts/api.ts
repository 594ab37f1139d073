import type {
  preferences as preferencesContract,
  consoleSessions as sessionsContract,
} from "../../../src/contract/account.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { account as accountContract } from "../../../src/contract/people.ts";
import type { devices as devicesContract } from "../../../src/contract/sign-in.ts";
import type { Transaction } from "../../database/database.ts";
import { userTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { accountRefusal, findAddress } from "../../erasure/rules.ts";
import { erasedAccounts } from "../../erasure/store/accounts.ts";
import { firstPlaceOfAccount } from "../../erasure/store/erase.ts";
import { erasures } from "../../erasure/store/erasures.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { personHash, sealAddress } from "../../secrets/secrets.ts";
import { createAuditWriter } from "../audit/record.ts";
import { devices as deviceRows, consoleSessions as sessionRows } from "../sign-in/store.ts";
import { beginAttempt, uncountAttempt, verifiedUser } from "../sign-in/verify.ts";
import { proveSecondFactor } from "../sign-in-methods/prove.ts";
import { createNameChange } from "./changes.ts";
import { preferenceRows, users } from "./store.ts";

type AccountsDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">;

/** Returns the handlers for the account of the person who is signed in. (rule P8) */
export function account(deps: AccountsDeps): Handlers<typeof accountContract> {
  const record = createAuditWriter(deps);
  const changeName = createNameChange(deps);
  return {
    update: ({ caller, address, body: { name }, save }) =>
      save(async (tx) => {
        await changeName(tx, { caller, address }, name);
        return { user: { id: caller.userId, email: caller.email, name } };
      }),

    async remove({ caller, address, body, save, setSession }) {
      const email = normaliseEmail(caller.email);
      if (normaliseEmail(body.email) !== email)
        throw badRequest("email", "does not match the address of this account");
      const counted = await provePassword(deps, caller, address, body.currentPassword);
      const user = { id: caller.userId, email };
      const spend = await proveSecondFactor(deps, {
        user,
        address,
        known: `session:${caller.id}`,
        code: body.code,
      });
      await save(async (tx) => {
        await uncountAttempt(tx, counted);
        await spend(tx);
        for (const appId of await erasedAccounts.lockApps(tx, user.id))
          await record(tx, { caller, address }, { action: "member.delete", appId, target: user.id });
        await assertDeletable(tx, user.id);
        await removeAccount(deps, tx, user);
        return undefined;
      });
      setSession(null);
      return undefined;
    },
  };
}

/**
 * Checks the password. Throws `invalid_credentials` and `rate_limited`. The attempt counts as failed, unless
 * the caller passes the result to `uncountAttempt`.
 */
async function provePassword(
  deps: AccountsDeps,
  caller: ConsoleCaller,
  address: string,
  password: string | undefined,
) {
  const user = await users.find(deps.database, caller.userId);
  if (!user?.passwordHash) return [];
  const counted = await beginAttempt(deps, { email: caller.email, address, known: `session:${caller.id}` });
  await verifiedUser(deps, caller.email, password ?? "");
  return counted;
}

async function assertDeletable(tx: Transaction, userId: string): Promise<void> {
  const obstacles = await erasedAccounts.obstacles(tx, userId);
  const message = accountRefusal(obstacles);
  if (message)
    throw new ApiError(obstacles.onlyOwnerOf.length > 0 ? "last_owner" : "wrong_state", { message });
}

/**
 * Deletes the account. Later, a background job removes the data of the person from the texts that remain in apps.
 */
async function removeAccount(
  { newId, clock, sealer }: AccountsDeps,
  tx: Transaction,
  user: { readonly id: string; readonly email: string },
): Promise<void> {
  const person = { finder: findAddress(user.email), accountId: user.id };
  const effects = await erasedAccounts.remove(tx, user, person);
  const id = newId();
  await erasures.insert(tx, {
    ...{ id, ownerId: null, personHash: personHash(sealer, user.email) },
    emailSealed: sealAddress(sealer, `${user.email} ${user.id}`),
    createdAt: clock.now().toISOString(),
  });
  const row = await erasures.findAny(tx, id);
  if (row) await erasures.advance(tx, row, { place: firstPlaceOfAccount, effects });
}

/**
 * Returns the handlers that list and end the caller's console sessions. Each browser has its own session. (rule S22)
 */
export function consoleSessionList(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Handlers<typeof sessionsContract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller }) {
      const found = await sessionRows.list(deps.database, caller.userId, deps.clock.now().toISOString());
      return {
        items: found.map(({ tokenHash, ...session }) => ({ ...session, current: tokenHash === caller.id })),
      };
    },

    remove: ({ caller, address, params: { sessionId }, save }) =>
      save(async (tx) => {
        if (!(await sessionRows.removeById(tx, caller.userId, sessionId))) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "session.end", target: sessionId });
        return undefined;
      }),

    removeOthers: ({ caller, address, save }) =>
      save(async (tx) => {
        await sessionRows.removeOthers(tx, caller.userId, caller.id);
        await record(tx, { caller, address }, { action: "session.end_others" });
        return undefined;
      }),
  };
}

/** Returns the handlers that list the caller's devices and sign them out. (rule S19) */
export function devices(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof devicesContract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller }) {
      const found = await deviceRows.list(deps.database, caller.userId, deps.clock.now().toISOString());
      return { items: found.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) })) };
    },

    remove: ({ caller, address, params: { deviceId }, save }) =>
      save(async (tx) => {
        if (!(await deviceRows.remove(tx, caller.userId, deviceId))) throw new ApiError("not_found");
        await record(tx, { caller, address }, { action: "device.delete", target: deviceId });
        tx.signal(userTopic(caller.userId));
        return undefined;
      }),
  };
}

/** Returns the handlers for the console preferences of the person who is signed in. (rule O32) */
export const preferences = ({ database }: Pick<Deps, "database">): Handlers<typeof preferencesContract> => ({
  read: ({ caller }) => preferenceRows.of(database, caller.userId),

  update: ({ caller, body, save }) =>
    save(async (tx) => {
      const { keys, afterResolving } = await preferenceRows.of(tx, caller.userId);
      const next = { keys: body.keys ?? keys, afterResolving: body.afterResolving ?? afterResolving };
      await preferenceRows.put(tx, caller.userId, next);
      return next;
    }),
});
