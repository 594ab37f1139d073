import type { Deps } from "../../deps.ts";
import { removeFiles } from "../../feedback/threads/store/removal.ts";
import { pictures, type ShownPictures } from "./store.ts";

/** How long unused pictures are kept. A picture may belong to a text that a person has not saved yet. */
const keptDays = 30;

const atOnce = 1_000;

type SweepDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "log">;

/**
 * Deletes old pictures that no FAQ entry or release note shows. After an error, continues with the next app. (rule C27)
 */
export async function sweepPictures(deps: SweepDeps, stopping: AbortSignal): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - keptDays * 86_400_000).toISOString();
  for (const { appId } of await pictures.appsWithOld(deps.database, before)) {
    if (stopping.aborted) return;
    try {
      await sweepApp(deps, appId, before, stopping);
    } catch (error) {
      deps.log.warn({ err: error, appId }, "unused pictures could not be deleted");
    }
  }
}

async function sweepApp(
  deps: SweepDeps,
  appId: string,
  before: string,
  stopping: AbortSignal,
): Promise<void> {
  const shown = await pictures.shown(deps.database, appId);
  for (let after: string | undefined = ""; after !== undefined && !stopping.aborted; ) {
    const from: string = after;
    const found = await pictures.listOld(deps.database, appId, { before, after: from, most: atOnce });
    await removeUnused(deps, appId, { names: found.map(({ name }) => name), shown });
    after = found.length < atOnce ? undefined : found.at(-1)?.name;
  }
}

type RemovingDeps = Pick<Deps, "database" | "keptFiles" | "log">;

/** The names of the pictures in a text that was deleted or replaced. */
interface Left {
  readonly appId: string;
  readonly names: readonly string[];
}

/**
 * Remembers the pictures of a deleted or replaced text. After the change, pictures that no text shows are
 * deleted.
 */
export type NotePictures = (left: Left) => void;

/**
 * Runs `change`. Then deletes unused pictures that `change` gave to `note`. After a failure, the daily cleanup
 * deletes these pictures. (rule C27)
 */
export async function removing<Answer>(
  deps: RemovingDeps,
  change: (note: NotePictures) => Promise<Answer>,
): Promise<Answer> {
  const noted: Left[] = [];
  const answer = await change((left) => {
    noted.push(left);
  });
  for (const left of noted) if (left.names.length > 0) await removeLeft(deps, left);
  return answer;
}

async function removeLeft(deps: RemovingDeps, { appId, names }: Left): Promise<void> {
  try {
    const shown = await pictures.shown(deps.database, appId);
    await removeUnused(deps, appId, { names, shown });
  } catch (error) {
    deps.log.warn({ err: error }, "unused pictures could not be deleted");
  }
}

/**
 * The maximum number of pictures that one transaction deletes. The number is small, so that other writes wait
 * only briefly.
 */
const mostRemovedAtOnce = 5;

/** Deletes those of the given pictures that no text of the app shows, in several small transactions. */
async function removeUnused(
  deps: RemovingDeps,
  appId: string,
  { names, shown }: { readonly names: readonly string[]; readonly shown: ShownPictures },
): Promise<void> {
  const unused = names.filter((name) => !shown.names.has(name));
  for (let from = 0; from < unused.length; from += mostRemovedAtOnce) {
    const some = unused.slice(from, from + mostRemovedAtOnce);
    removeFiles(
      deps,
      await deps.database.write((tx) => pictures.removeUnused(tx, appId, { names: some, shown })),
    );
  }
}
