import { limits } from "./limits.ts";

/** Metadata as it is stored: JSON, and the paths of the entries that were left out. */
export interface FittingMetadata {
  readonly json: string;
  readonly dropped: readonly string[];
}

/**
 * Returns the part of a report's metadata that fits the limits. Earlier entries come first. An entry that is nested too deep,
 * or for which there is no space, is left out as a whole. Lone surrogates are replaced. (rule F6)
 */
export function fitMetadata(given: Readonly<Record<string, unknown>>): FittingMetadata {
  const kept = new Map<string, string>();
  const dropped: string[] = [];
  let bytes = 2;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toWellFormed();
    const entry = entryOf(kept, key, value);
    const size = entry === undefined ? 0 : encoder.encode(entry).length + (kept.size > 0 ? 1 : 0);
    if (entry !== undefined && bytes + size <= limits.metadataBytes) {
      kept.set(key, entry);
      bytes += size;
    } else if (dropped.length < limits.namedDrops) dropped.push(`metadata.${shortened(key)}`);
  }
  return { json: `{${[...kept.values()].join(",")}}`, dropped };
}

const encoder = new TextEncoder();

/** Returns an entry as JSON. Undefined if the entry must be left out for a reason other than its size. */
function entryOf(kept: ReadonlyMap<string, string>, key: string, value: unknown): string | undefined {
  if (kept.size === limits.metadataKeys || kept.has(key)) return undefined;
  if (depthOf(value) >= limits.metadataDepth) return undefined;
  return `${JSON.stringify(key)}:${jsonOf(value)}`;
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

/** Shortens a path, so that a person can read it: a key may have a megabyte. */
const shortened = (key: string): string => (key.length > 100 ? `${key.slice(0, 99).toWellFormed()}…` : key);
