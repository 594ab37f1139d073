import { isSealed, sealAddress } from "../secrets/sealed-address.ts";
import { createSealer, type Sealer } from "../secrets/secrets.ts";
import { SettingError } from "../settings/setting-error.ts";
import { sealed } from "../store/deployment/sealed.ts";
import type { Database, Transaction } from "../store/engine/database.ts";

export interface Secrets {
  /** Seals, and opens. */
  readonly secret: string;
  /** Only open, until all is sealed anew. */
  readonly old: readonly string[];
}

const checkText = "innkeep";

/**
 * Makes sure that the secret opens what is stored. Seals anew what an old secret sealed, and addresses that are still in
 * clear. Throws a SettingError if no secret fits.
 */
export async function unlock(database: Database, { secret, old }: Secrets): Promise<void> {
  const sealer = createSealer(secret);
  await database.write(async (tx) => {
    await tx.lock("innkeep secret");
    const former = await formerOf(tx, sealer, old);
    await sealed.replaceAll(tx, (stored) => sealAnew(stored, sealer, former));
    if (former || !(await sealed.check(tx))) await sealed.setCheck(tx, sealer.seal(checkText));
  }, "long");
}

/** Whether anything is stored that only the right secret opens. */
export async function isLocked(database: Database): Promise<boolean> {
  return ((await sealed.check(database)) ?? (await sealed.sample(database))) !== undefined;
}

/** The old secret that the database was last used with; undefined if it is the present one. */
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
    "INNKEEP_SECRET is not the secret that this database was used with. Set that one again (without the variable it is the file `secret` in the data folder). To change it, set the new one as INNKEEP_SECRET and the former one as INNKEEP_SECRET_OLD.",
  );
}

function sealAnew(stored: string, sealer: Sealer, former: Sealer | undefined): string {
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
