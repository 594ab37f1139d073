import { createHash } from "node:crypto";
import { isReceivedFile } from "../../../src/contract/received-file.ts";

/**
 * SHA-256, in hex, of the content of a request. It is the same for JSON values that differ only in the order of keys,
 * and for bodies whose files have the same bytes, declared types and names, as JSON or as a form.
 */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)) ?? "")
    .digest("hex");
}

// Objects become lists of pairs, so that no object can look like the stand-in for a file.
function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  if (isReceivedFile(value)) return ["file", value.sha256, value.declaredType, value.name];
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return { entries: entries.sort(byKey).map(([key, child]) => [key, canonical(child)]) };
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
