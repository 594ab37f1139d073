import type { Transaction } from "../../database/database.ts";
import { tokensTopic, userTopic } from "../../database/signals.ts";

/**
 * Ends what opens an account besides its password and second factor: identities of providers, tokens, connections, devices, and
 * codes for them. For an account that somebody else may have made. (rule S30)
 */
export async function removeUnprovenAccess(tx: Transaction, userId: string): Promise<void> {
  const tables = ["identities", "tokens", "oauth_codes", "devices", "sign_in_codes"];
  for (const table of tables) await tx.run(`DELETE FROM ${table} WHERE user_id = ?`, userId);
  tx.signal(userTopic(userId));
  tx.signal(tokensTopic);
}
