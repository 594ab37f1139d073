import { rm, writeFile } from "node:fs/promises";
import { exists, secretFile } from "../admin/data-location.ts";
import type { DataLocation } from "../settings/settings.ts";

/**
 * Does the work of a restore with its secret in the folder, unless the folder has one. If the work fails, the secret is removed
 * again, so that the folder can be used for another try.
 */
export async function withRestoredSecret<Result>(
  location: DataLocation,
  secret: string | Buffer | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const file = secretFile(location);
  if (secret === undefined || (await exists(file))) return work();
  try {
    await writeFile(file, secret, { mode: 0o600, flush: true });
    return await work();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
