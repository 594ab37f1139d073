import type { Transaction } from "../engine/database.ts";

/** The settings that a tester's device may change. */
export const testerProfiles = {
  /** Sets the token for push messages to a device; null turns them off. */
  setPushToken: (tx: Transaction, id: string, pushToken: string | null) =>
    tx.run("UPDATE devices SET push_token = ? WHERE id = ?", pushToken, id),
};
