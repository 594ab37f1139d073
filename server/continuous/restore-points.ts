import { canRestore, generationsFolder, type LinkName, linksIn } from "./names.ts";
import type { Place } from "./places/place.ts";
import { generationsIn } from "./retention.ts";

/** A generation and the instants to which it can restore the database. */
export interface RestorableGeneration {
  readonly name: string;
  readonly links: readonly LinkName[];
  /** In order. Never empty. */
  readonly instants: readonly Date[];
}

/** An instant, and the links that lead to it. */
export interface RestorePoint {
  readonly at: Date;
  readonly generation: string;
  readonly links: readonly LinkName[];
}

/** The generations of a place that can be restored, the oldest first. */
export async function restorable(place: Place): Promise<RestorableGeneration[]> {
  const found: RestorableGeneration[] = [];
  for (const { name } of await generationsIn(place)) {
    const { files } = await place.list(`${generationsFolder}/${name}`);
    const links = linksIn(files.map((file) => file.name));
    const instants = links.flatMap(({ at }) => (at ? [at] : []));
    if (canRestore(links)) found.push({ name, links, instants });
  }
  return found;
}

/** The last point that is not after `at`, or the last of all. Undefined if all are later. */
export function pointAt(
  generations: readonly RestorableGeneration[],
  at: Date | undefined,
): RestorePoint | undefined {
  const points = generations.flatMap((generation) => lastPoint(generation, at) ?? []);
  return points.sort((one, other) => one.at.getTime() - other.at.getTime()).at(-1);
}

function lastPoint(
  { name, links }: RestorableGeneration,
  wanted: Date | undefined,
): RestorePoint | undefined {
  const last = links.findLast(({ at }) => at !== undefined && (wanted === undefined || at <= wanted));
  if (!last?.at) return undefined;
  return { at: last.at, generation: name, links: links.slice(0, links.indexOf(last) + 1) };
}

/** The last point that does not need this link. */
export function pointBefore(
  generations: readonly RestorableGeneration[],
  { at, generation }: RestorePoint,
  damaged: LinkName,
): RestorePoint | undefined {
  const shorter = generations.map((each) =>
    each.name === generation ? { ...each, links: each.links.slice(0, each.links.indexOf(damaged)) } : each,
  );
  return pointAt(shorter, at);
}
