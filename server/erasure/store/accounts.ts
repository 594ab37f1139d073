import { members } from "../../access/members/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { credentialsTopic, tokensTopic } from "../../database/signals.ts";
import { seats } from "./erase-seats.ts";
import type { Effect, Person } from "./person.ts";

/** Accounts that their person, or the operator, deletes. */
export const erasedAccounts = {
  /** The apps of which a person is the only owner, and those in whose tests the person has a seat in use, by name. */
  async obstacles(reader: Reader, userId: string) {
    const owned = await reader.all<{ name: string }>(
      `SELECT a.name FROM app_members m JOIN apps a ON a.id = m.app_id
       WHERE m.user_id = ? AND m.role = 'owner' AND NOT EXISTS (
         SELECT 1 FROM app_members o WHERE o.app_id = m.app_id AND o.role = 'owner' AND o.user_id <> m.user_id)
       ORDER BY a.name, a.id`,
      userId,
    );
    return {
      onlyOwnerOf: owned.map(({ name }) => name),
      testerOf: await seats.inUse(reader, userId, "everywhere"),
    };
  },

  lockApps,

  /** Deletes an account with all that signs it in, its memberships, tokens and devices, and takes it out of seats that are over. */
  async remove(tx: Transaction, { id: userId, email }: Account, person: Person): Promise<Effect[]> {
    for (const appId of await lockApps(tx, userId)) await members.remove(tx, { appId, userId });
    const effects: Effect[] = [];
    for (;;) {
      const ended = await seats.ended(tx, person, "everywhere");
      if (ended.length === 0) break;
      for (const slotId of ended) effects.push(await seats.erase(tx, person, slotId));
    }
    await tx.run("DELETE FROM account_links WHERE email = ?", email);
    await tx.run("DELETE FROM mails WHERE app_id IS NULL AND recipient = ?", email);
    await tx.run("DELETE FROM users WHERE id = ?", userId);
    tx.signal(credentialsTopic);
    tx.signal(tokensTopic);
    return effects;
  },
};

interface Account {
  readonly id: string;
  readonly email: string;
}

/** The apps of a person, locked so that an app never loses its last owner to two at once. */
async function lockApps(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.all<{ appId: string }>(
    `SELECT app_id AS "appId" FROM app_members WHERE user_id = ? ORDER BY app_id`,
    userId,
  );
  for (const { appId } of rows) await members.lock(tx, appId);
  return rows.map(({ appId }) => appId);
}
