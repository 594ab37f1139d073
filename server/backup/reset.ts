import type { Transaction } from "../database/database.ts";
import { forgetAllIndexed } from "../feedback/search/store/search.ts";
import { tablesOf } from "./store.ts";

/** Tables that stay: accounts and credentials must go on working. */
const kept = new Set([
  ...["users", "identities", "second_factors", "recovery_codes", "passkeys"],
  ...["apps", "app_members", "app_keys", "tokens", "devices", "deployment"],
]);

/**
 * Deletes everything except accounts with all that signs them in, apps with their members, keys, tokens and devices. Gives the
 * SHA-256 of the files to which nothing refers any more.
 */
export async function removeContent(tx: Transaction): Promise<string[]> {
  const files = await tx.all<{ sha256: string }>("SELECT DISTINCT sha256 FROM uploads");
  await forgetAllIndexed(tx);
  await tx.run("DELETE FROM sign_in_codes");
  for (const { name } of (await tablesOf(tx)).reverse())
    if (!kept.has(name)) await tx.run(`DELETE FROM ${name}`);
  await tx.run("UPDATE app_members SET read_until = NULL, visited_at = NULL, since_at = NULL");
  // Cached lists belong to a version: a new version makes them out of date.
  await tx.run("UPDATE apps SET faqs_version = faqs_version + 1, changelog_version = changelog_version + 1");
  return files.map(({ sha256 }) => sha256);
}
