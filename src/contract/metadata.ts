import { limits } from "./limits.ts";

/**
 * Why an entry of metadata was left out: it is nested too deep, there are too many entries, there are too many bytes,
 * or an earlier entry has the same name.
 */
export const dropReasons = ["depth", "count", "size", "name"] as const;

/** An entry of metadata that was left out. */
export interface DroppedEntry {
  readonly name: string;
  readonly reason: (typeof dropReasons)[number];
}

/** Metadata as it is stored: JSON, and the first entries that were left out. */
export interface FittingMetadata {
  readonly json: string;
  readonly dropped: readonly DroppedEntry[];
}

/**
 * Returns the part of a report's metadata that fits the limits. Earlier entries come first. An entry that is nested too
 * deep, or for which there is no space, is left out as a whole. Lone surrogates are replaced. (rule F6)
 */
export function fitMetadata(given: Readonly<Record<string, unknown>>): FittingMetadata {
  const kept = new Map<string, string>();
  const dropped: DroppedEntry[] = [];
  let bytes = 2;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toWellFormed();
    const drop = (reason: DroppedEntry["reason"]) => {
      if (dropped.length < limits.namedDrops) dropped.push({ name: shortened(key), reason });
    };
    const reason = refusalOf(kept, key, value);
    if (reason !== undefined) {
      drop(reason);
      continue;
    }
    const entry = `${JSON.stringify(key)}:${jsonOf(value)}`;
    const size = encoder.encode(entry).length + (kept.size > 0 ? 1 : 0);
    if (bytes + size > limits.metadataBytes) {
      drop("size");
      continue;
    }
    kept.set(key, entry);
    bytes += size;
  }
  return { json: `{${[...kept.values()].join(",")}}`, dropped };
}

const encoder = new TextEncoder();

/** Returns why an entry must be left out, whatever its size is; undefined if it need not be. */
function refusalOf(
  kept: ReadonlyMap<string, string>,
  key: string,
  value: unknown,
): DroppedEntry["reason"] | undefined {
  if (kept.size === limits.metadataKeys) return "count";
  if (kept.has(key)) return "name";
  return depthOf(value) >= limits.metadataDepth ? "depth" : undefined;
}

function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  return /\\ud[89a-f]/i.test(json) ? JSON.stringify(wellFormed(value)) : json;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key.toWellFormed(), wellFormed(child)]),
  );
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child));
  return 1 + deepest;
}

/** Shortens the name of an entry, because a name may have a megabyte. */
const shortened = (key: string): string => (key.length > 100 ? `${key.slice(0, 99).toWellFormed()}…` : key);
