import { begunAt, canRestore, generationsFolder, linksIn } from "./names.ts";
import { MissingCopy, type Place } from "./places/place.ts";

const dayMs = 86_400_000;

/** A generation by its name. */
export interface KeptGeneration {
  readonly name: string;
  readonly begunAt: Date;
}

/** The generations in a place, the oldest first. */
export async function generationsIn(place: Place): Promise<KeptGeneration[]> {
  const { folders } = await place.list(generationsFolder);
  return folders
    .flatMap((name) => {
      const at = begunAt(name);
      return at ? [{ name, begunAt: at }] : [];
    })
    .sort((one, other) => one.begunAt.getTime() - other.begunAt.getTime());
}

/**
 * How long a generation goes on before the next one begins. It is deleted when it began so many days ago as backups are kept, so
 * that nothing is kept for longer: half of them for a single day, so that there is always one to restore.
 */
export const generationMs = (keptDays: number): number => Math.min(dayMs, (keptDays * dayMs) / 2);

interface Retention {
  readonly keptDays: number;
  readonly now: Date;
  /** The name of the generation that the server goes on with. */
  readonly current: string | undefined;
}

/**
 * The generations that are too old. Never the newest one that can be restored, nor a later one, which may still be incomplete,
 * nor the one that goes on.
 */
export async function expired(
  place: Place,
  generations: readonly KeptGeneration[],
  { keptDays, now, current }: Retention,
): Promise<KeptGeneration[]> {
  const old = generations.filter(
    ({ name, begunAt: at }) => name !== current && now.getTime() - at.getTime() >= keptDays * dayMs,
  );
  if (old.length === 0) return [];
  for (const newest of [...generations].reverse())
    if (await isRestorable(place, newest)) return old.filter(({ begunAt: at }) => at < newest.begunAt);
  return [];
}

async function isRestorable(place: Place, { name }: KeptGeneration): Promise<boolean> {
  const { files } = await place.list(`${generationsFolder}/${name}`);
  return canRestore(linksIn(files.map((file) => file.name)));
}

/** So many files are deleted at once. */
const removedAtOnce = 100;

/**
 * Deletes a generation. Its first link goes first, and durably: without it the generation counts as none, whatever happens to the
 * rest. Tries all of the rest, then rejects with the first failure.
 */
export async function removeGeneration(
  place: Place,
  { name }: KeptGeneration,
  stopping?: AbortSignal,
): Promise<void> {
  const folder = `${generationsFolder}/${name}`;
  const names = (await place.list(folder)).files.map((file) => file.name);
  const first = linksIn(names).flatMap((link) => (link.number === 0 ? [link.name] : []));
  const rest = names.filter((each) => !first.includes(each));
  const pathsOf = (some: readonly string[]) => some.map((each) => `${folder}/${each}`);
  await place.remove(pathsOf(first));
  const failures: unknown[] = [];
  for (let at = 0; at < rest.length; at += removedAtOnce) {
    stopping?.throwIfAborted();
    await place
      .remove(pathsOf(rest.slice(at, at + removedAtOnce)))
      .catch((error) => void failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

const unnamedIn = (generation: string): string => `${generationsFolder}/${generation}/unnamed-files`;

/** Notes which copies of files the database did not name when a generation began. */
export const noteUnnamed = (place: Place, generation: string, names: readonly string[]): Promise<void> =>
  place.put(unnamedIn(generation), Buffer.from(names.join("\n")));

/**
 * The copies that no kept generation needs: the database does not name them now, it did not when the oldest kept generation
 * began, and they were not copied again since.
 */
export async function needless(
  place: Place,
  oldest: KeptGeneration,
  unnamed: readonly { readonly name: string; readonly changedAt: number }[],
): Promise<string[]> {
  const text = await place.get(unnamedIn(oldest.name)).catch((error) => {
    if (error instanceof MissingCopy) return Buffer.alloc(0);
    throw error;
  });
  const before = new Set(text.toString("utf8").split("\n"));
  const copiedBefore = oldest.begunAt.getTime() - clockDifferenceMs;
  return unnamed
    .filter(({ name, changedAt }) => before.has(name) && changedAt < copiedBefore)
    .map(({ name }) => name);
}

/** The clock of a store may differ from ours. */
const clockDifferenceMs = 3_600_000;
