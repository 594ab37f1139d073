import type { Database, Transaction } from "../database/database.ts";
import { isSealed, sealAddress } from "../secrets/addresses.ts";
import { createSealer, type Sealer } from "../secrets/secrets.ts";
import { sealed } from "../secrets/store.ts";
import { SettingError } from "../settings/setting-error.ts";

export interface Secrets {
  /** Seals and opens values. */
  readonly secret: string;
  /** Earlier secrets. They only open values, until every value is sealed with the present secret. */
  readonly old: readonly string[];
}

const checkText = "innkeep";

/**
 * Makes sure that the secret opens the stored values. Seals again the values that were sealed with an old secret, and
 * addresses that are still plain text. Throws a SettingError if no secret fits.
 */
export async function unlock(database: Database, { secret, old }: Secrets): Promise<void> {
  const sealer = createSealer(secret);
  await database.write(async (tx) => {
    await tx.lock("innkeep secret");
    const former = await formerOf(tx, sealer, old);
    await sealed.replaceAll(tx, (stored) => sealAgain(stored, sealer, former));
    if (former || !(await sealed.check(tx))) await sealed.setCheck(tx, sealer.seal(checkText));
  }, "long");
}

/** Whether the database holds a value that only the right secret opens. */
export async function isLocked(database: Database): Promise<boolean> {
  return ((await sealed.check(database)) ?? (await sealed.sample(database))) !== undefined;
}

/** The old secret with which the database was last used; undefined if it was last used with the present one. */
async function formerOf(
  tx: Transaction,
  sealer: Sealer,
  old: readonly string[],
): Promise<Sealer | undefined> {
  const stored = (await sealed.check(tx)) ?? (await sealed.sample(tx));
  if (stored === undefined || opens(sealer, stored)) return undefined;
  const former = old.map((secret) => createSealer(secret)).find((candidate) => opens(candidate, stored));
  if (former) return former;
  throw new SettingError(
    "INNKEEP_SECRET is not the secret that this database was used with. Set the former secret again. (If INNKEEP_SECRET was not set, the secret is in the file `secret` in the data folder.) To change the secret, set the new one as INNKEEP_SECRET and the former one as INNKEEP_SECRET_OLD.",
  );
}

function sealAgain(stored: string, sealer: Sealer, former: Sealer | undefined): string {
  if (/^https?:/.test(stored)) return sealAddress(sealer, stored);
  if (former === undefined) return stored;
  const prefix = isSealed(stored) ? "sealed:" : "";
  const body = stored.slice(prefix.length);
  return opens(former, body) ? prefix + sealer.seal(former.open(body)) : stored;
}

function opens(sealer: Sealer, stored: string): boolean {
  try {
    sealer.open(stored);
    return true;
  } catch {
    return false;
  }
}
