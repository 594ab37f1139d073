import type { Reader } from "./database.ts";

/** Rejects if the database does not answer. */
export async function ping(reader: Reader): Promise<void> {
  await reader.get("SELECT 1 AS one");
}
