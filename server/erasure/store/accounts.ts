import { members } from "../../access/members/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { credentialsTopic, slotsTopic, tokensTopic } from "../../database/transaction.ts";
import { type Effect, type ErasureScope, inScope, noEffect, type Person } from "./find.ts";

/** Functions that delete accounts. Either the person or the operator requests the deletion. */
export const erasedAccounts = {
  /**
   * Returns the apps without another owner (`onlyOwnerOf`), and the apps in whose tests the person has an
   * unfinished slot (`testerOf`).
   */
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

  /**
   * Deletes an account and its data, and removes the person from ended slots. Returns the effects on the slots.
   */
  async remove(
    tx: Transaction,
    { id: userId, email }: { readonly id: string; readonly email: string },
    person: Person,
  ): Promise<Effect[]> {
    for (const appId of await lockApps(tx, userId)) await members.remove(tx, { appId, userId });
    const effects: Effect[] = [];
    for (;;) {
      const ended = await seats.ended(tx, person, "everywhere");
      if (ended.length === 0) break;
      for (const slotId of ended) effects.push(await seats.erase(tx, person, slotId));
    }
    await tx.run("DELETE FROM account_links WHERE email = ?", email);
    // Other mails to this address stay, because an app sent them to a sender or a tester.
    await tx.run(
      "DELETE FROM mails WHERE recipient = ? AND (app_id IS NULL OR kind IN ('notice', 'invitation'))",
      email,
    );
    await tx.run("DELETE FROM mails WHERE subject_id = ? AND kind = 'notice'", userId);
    await tx.run("DELETE FROM users WHERE id = ?", userId);
    tx.signal(credentialsTopic);
    tx.signal(tokensTopic);
    return effects;
  },
};

/** Locks the apps of a person. Without the locks, two requests could remove the last two owners of an app. */
async function lockApps(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.all<{ appId: string }>(
    `SELECT app_id AS "appId" FROM app_members WHERE user_id = ? ORDER BY app_id`,
    userId,
  );
  for (const { appId } of rows) await members.lock(tx, appId);
  return rows.map(({ appId }) => appId);
}

const atOnce = 20;

const from = `FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id`;

/** The slots of testers. An erasure changes only slots that have ended. (rule P5) */
export const seats = {
  /** Returns the names of the apps in whose tests the person has a slot that has not ended. */
  async inUse(reader: Reader, accountId: string, scope: ErasureScope): Promise<string[]> {
    const own = inScope(scope, "l.app_id");
    const rows = await reader.all<{ name: string }>(
      `SELECT DISTINCT l.app_name AS name ${from}
       WHERE s.tester_id = ? AND s.status IN ('requested', 'active', 'at_risk') AND ${own.sql}
       ORDER BY l.app_name LIMIT ${atOnce}`,
      accountId,
      ...own.values,
    );
    return rows.map(({ name }) => name);
  },

  /** Returns the ids of up to 20 slots of the person that have ended. */
  async ended(reader: Reader, { accountId }: Person, scope: ErasureScope): Promise<string[]> {
    if (accountId === null) return [];
    const own = inScope(scope, "l.app_id");
    const rows = await reader.all<{ id: string }>(
      `SELECT s.id ${from} WHERE s.tester_id = ? AND s.status IN ('completed', 'removed') AND ${own.sql}
       ORDER BY s.id LIMIT ${atOnce}`,
      accountId,
      ...own.values,
    );
    return rows.map(({ id }) => id);
  },

  /** Returns the number of slots of the person that have ended. */
  async countEnded(reader: Reader, { accountId }: Person, scope: ErasureScope): Promise<number> {
    const own = inScope(scope, "l.app_id");
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count ${from}
       WHERE s.tester_id = ? AND s.status IN ('completed', 'removed') AND ${own.sql}`,
      accountId,
      ...own.values,
    );
    return Number(row?.count ?? 0);
  },

  /** Removes the tester from a slot that has ended, and deletes its sessions and proofs. Keeps the counted days. */
  async erase(tx: Transaction, { accountId }: Person, id: string): Promise<Effect> {
    const seat = await tx.run(
      `UPDATE slots SET tester_id = NULL, key_hash = NULL, key_sealed = NULL
       WHERE id = ? AND tester_id = ? AND status IN ('completed', 'removed')`,
      id,
      accountId,
    );
    if (seat === 0) return noEffect;
    const images = await tx.all<{ sha256: string }>(
      `DELETE FROM uploads WHERE proof_id IN (SELECT p.id FROM proofs p WHERE p.slot_id = ?) RETURNING sha256`,
      id,
    );
    await tx.run("DELETE FROM proofs WHERE slot_id = ?", id);
    await tx.run("DELETE FROM test_sessions WHERE slot_id = ?", id);
    tx.signal(slotsTopic);
    return { counts: { seats: 1 }, files: images.map(({ sha256 }) => sha256) };
  },
};
