import type { Transaction } from "../engine/database.ts";

/** What a tester's device may change of itself. */
export const testerProfiles = {
  /** Where a device is notified; null where it is not to be. */
  setPushToken: (tx: Transaction, id: string, pushToken: string | null) =>
    tx.run("UPDATE devices SET push_token = ? WHERE id = ?", pushToken, id),
};
