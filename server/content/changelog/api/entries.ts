import { ApiError } from "../../../../src/contract/errors.ts";
import { isSameVersion } from "../../../../src/contract/version.ts";
import type { EntryVersion } from "../changelog-entries.ts";

/** The entries that have this version, in any spelling. */
export const ofVersion = (known: readonly EntryVersion[], version: string): readonly EntryVersion[] =>
  known.filter((entry) => isSameVersion(entry.version, version));

/** Throws `version_exists` if an entry has this version. */
export function refuseSameVersion(known: readonly EntryVersion[], version: string): void {
  const [entry] = ofVersion(known, version);
  if (!entry) return;
  throw new ApiError("version_exists", {
    entryId: entry.id,
    message: `Release note ${entry.id} has version ${entry.version} already. Change that one, or allow a duplicate.`,
  });
}
