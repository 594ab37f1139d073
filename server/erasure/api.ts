import { ApiError, badRequest } from "../../src/contract/errors.ts";
import type { people as contract, Erasure, Preview } from "../../src/contract/people.ts";
import { users } from "../access/accounts/store.ts";
import { createAuditWriter } from "../access/audit/record.ts";
import { members } from "../access/members/store.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import type { ConsoleCaller, Handlers } from "../http/handler.ts";
import { normaliseEmail } from "../secrets/passwords.ts";
import { isPersonHash, personHash, sealAddress } from "../secrets/secrets.ts";
import { erasureRefusal, findAddress } from "./rules.ts";
import { seats } from "./store/accounts.ts";
import {
  type Erasing,
  type FoundRows,
  findAt,
  findByAddress,
  firstPlaces,
  type Place,
} from "./store/erase.ts";
import { countsOf, type ErasureRow, erasures } from "./store/erasures.ts";

type ErasureDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer">;

const mostReceipts = 100;

/** Creates the handlers that erase people in the apps of an owner and read receipts. (rules P2, P6) */
export function people(deps: ErasureDeps): Handlers<typeof contract> {
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
        const id = await begin(deps, tx, caller.userId, email, hash);
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

async function begin(
  { newId, clock, sealer }: ErasureDeps,
  tx: Transaction,
  ownerId: string,
  email: string,
  hash: string,
): Promise<string> {
  const id = newId();
  await erasures.insert(tx, {
    ...{ id, ownerId, personHash: hash, emailSealed: sealAddress(sealer, email) },
    createdAt: clock.now().toISOString(),
  });
  return id;
}

/** Throws `forbidden` if the account owns no app. Only owners can erase people. */
async function assertOwner(reader: Reader, { userId }: ConsoleCaller): Promise<void> {
  if ((await members.countOwned(reader, userId)) === 0)
    throw new ApiError("forbidden", {
      message: "Only an owner of an app may do this, and you do not own an app.",
    });
}

function emailOf({ email: given }: { readonly email: string }): string {
  const email = normaliseEmail(given);
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badRequest("email", "must be an e-mail address");
  return email;
}

/** Returns the id of the account with this address, and the reason why the person cannot be erased. */
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

/** Creates a receipt. `by` is the caller, because only the owner who requested an erasure reads its receipt. */
const receipt =
  ({ email: by }: ConsoleCaller) =>
  (row: ErasureRow): Erasure => ({
    ...{ id: row.id, status: row.status, personHash: row.personHash, counts: countsOf(row), by },
    ...{ createdAt: row.createdAt, finishedAt: row.finishedAt, backupsUntil: row.backupsUntil },
  });

/** The time limit of a preview in milliseconds, because a person waits. An erasure has no time limit. */
const longestMilliseconds = 100;

type Counts = Preview["counts"];

/**
 * Counts the rows that an erasure would find, each once. `complete` is false if the time limit ended the
 * search. (rule P13)
 */
export async function countFound(
  reader: Reader,
  erasing: Erasing,
  milliseconds = longestMilliseconds,
): Promise<Pick<Preview, "counts" | "complete">> {
  const until = performance.now() + milliseconds;
  const { counts, add } = tallyFrom(await seats.countEnded(reader, erasing.person, erasing.scope));
  for (const found of await findByAddress(reader, erasing)) add(found);
  for (let places = firstPlaces; places.length > 0; ) {
    const further: Place[] = [];
    for (const place of places) {
      // The time limit ends only further searches of a table. The first search of each table always runs.
      if (place.after !== undefined && performance.now() > until) return { counts, complete: false };
      const found = await findAt(reader, erasing, place);
      if (found === undefined) continue;
      add(found);
      if (found.next.pass === place.pass) further.push(found.next);
    }
    places = further;
  }
  return { counts, complete: true };
}

function tallyFrom(seatsEnded: number) {
  const counts: Counts = {
    ...{ threads: 0, messages: 0, mails: 0, invitations: 0 },
    ...{ seats: seatsEnded, answers: 0, audit: 0, texts: 0 },
  };
  const seen = new Set<string>();
  const add = ({ table, count, keys }: FoundRows): void => {
    for (const key of keys) {
      const row = [table, ...key].join("\n");
      if (seen.has(row)) continue;
      seen.add(row);
      counts[count] += 1;
    }
  };
  return { counts, add };
}
