import { ApiError, badRequest } from "../../src/contract/errors.ts";
import type { people as contract, Erasure } from "../../src/contract/people.ts";
import { users } from "../access/accounts/store.ts";
import { createAuditWriter } from "../access/audit/record.ts";
import { members } from "../access/members/store.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import type { ConsoleCaller, Handlers } from "../http/handler.ts";
import { sealAddress } from "../secrets/addresses.ts";
import { normaliseEmail } from "../secrets/passwords.ts";
import { isPersonHash, personHash } from "../secrets/person-hash.ts";
import { findAddress } from "./addresses.ts";
import { countFound } from "./count-found.ts";
import { erasureRefusal } from "./rules.ts";
import { seats } from "./store/erase-seats.ts";
import { countsOf, type ErasureRow, erasures } from "./store/erasures.ts";

type Needed = Pick<Deps, "clock" | "database" | "newId" | "sealer">;

const mostReceipts = 100;

/** Erases people in the apps of an owner, and keeps the receipts. (rules P2, P6) */
export function people(deps: Needed): Handlers<typeof contract> {
  const { database, sealer } = deps;
  const record = createAuditWriter(deps);
  const receiptOf = async (caller: ConsoleCaller, id: string) => {
    const row = await erasures.find(database, id, caller.userId);
    if (!row) throw new ApiError("not_found");
    return row;
  };
  return {
    async preview({ caller, body }) {
      const email = emailOf(body);
      const { accountId, refusal } = await lookUp(database, caller, email);
      const person = { finder: findAddress(email), accountId };
      const found = await countFound(database, { person, scope: { ownerId: caller.userId } });
      return { ...found, refusal: refusal ?? null };
    },

    erase({ caller, address, body, save }) {
      const email = emailOf(body);
      return save(async (tx) => {
        await assertOwner(tx, caller);
        const { refusal } = await lookUp(tx, caller, email);
        if (refusal) throw new ApiError("wrong_state", { message: refusal });
        const hash = personHash(sealer, email);
        await tx.lock(`erase:${caller.userId}:${hash}`);
        const running = await erasures.findRunning(tx, caller.userId, hash);
        if (running) return receipt(caller)(running);
        const id = await begin(deps, tx, { ownerId: caller.userId, email, hash });
        await record(tx, { caller, address }, { action: "person.erase", target: id });
        const begun = await erasures.find(tx, id, caller.userId);
        if (!begun) throw new ApiError("not_found");
        return receipt(caller)(begun);
      });
    },

    list: async ({ caller }) => ({
      items: (await erasures.list(database, caller.userId, mostReceipts)).map(receipt(caller)),
    }),

    read: async ({ caller, params }) => receipt(caller)(await receiptOf(caller, params.erasureId)),

    async check({ caller, params, body }) {
      const row = await receiptOf(caller, params.erasureId);
      return { matches: isPersonHash(sealer, normaliseEmail(body.email), row.personHash) };
    },
  };
}

interface Wanted {
  readonly ownerId: string;
  readonly email: string;
  readonly hash: string;
}

async function begin(
  { newId, clock, sealer }: Needed,
  tx: Transaction,
  { ownerId, email, hash }: Wanted,
): Promise<string> {
  const id = newId();
  await erasures.insert(tx, {
    ...{ id, ownerId, personHash: hash, emailSealed: sealAddress(sealer, email) },
    createdAt: clock.now().toISOString(),
  });
  return id;
}

/** An account that owns no app has nobody to erase. */
async function assertOwner(reader: Reader, { userId }: ConsoleCaller): Promise<void> {
  if ((await members.countOwned(reader, userId)) === 0)
    throw new ApiError("forbidden", { message: "Only an owner of an app may do this. You own none." });
}

function emailOf({ email: given }: { readonly email: string }): string {
  const email = normaliseEmail(given);
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badRequest("email", "must be an e-mail address");
  return email;
}

/** The account of the person, and what stands in the way of the erasure. */
async function lookUp(reader: Reader, { userId, email: own }: ConsoleCaller, email: string) {
  const account = await users.findByEmail(reader, email);
  const scope = { ownerId: userId };
  const refusal = erasureRefusal({
    own: normaliseEmail(own) === email,
    memberOf: account ? await members.appsOfBoth(reader, userId, account.id) : [],
    testerOf: account ? await seats.inUse(reader, account.id, scope) : [],
  });
  return { accountId: account?.id ?? null, refusal };
}

/** Only the owner who asked for an erasure reads its receipt. */
const receipt =
  ({ email: by }: ConsoleCaller) =>
  (row: ErasureRow): Erasure => ({
    ...{ id: row.id, status: row.status, personHash: row.personHash, counts: countsOf(row), by },
    ...{ createdAt: row.createdAt, finishedAt: row.finishedAt, backupsUntil: row.backupsUntil },
  });
