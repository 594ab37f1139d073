import type { Deps } from "../../deps.ts";
import { removeFiles } from "../../feedback/removal/remove.ts";
import { pictures, type ShownPictures } from "./store.ts";

type RemovingDeps = Pick<Deps, "database" | "keptFiles" | "log">;

/** The pictures in a deleted or replaced text of an app. */
interface Left {
  readonly appId: string;
  readonly names: readonly string[];
}

/** Collects the pictures that a text no longer uses after a change. */
export type NotePictures = (left: Left) => void;

/**
 * Runs a change, and then deletes the collected pictures that no other text shows. If only the deletion fails, the
 * change stays, and the daily cleanup deletes the pictures later. (rule C27)
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

/** How many pictures one transaction deletes. The number is small, so that other writes wait only briefly. */
const atOnce = 5;

/** Deletes those of the given pictures that no text of the app shows. It uses small transactions. */
export async function removeUnused(
  deps: RemovingDeps,
  appId: string,
  { names, shown }: { readonly names: readonly string[]; readonly shown: ShownPictures },
): Promise<void> {
  const unused = names.filter((name) => !shown.names.has(name));
  for (let from = 0; from < unused.length; from += atOnce) {
    const some = unused.slice(from, from + atOnce);
    removeFiles(
      deps,
      await deps.database.write((tx) => pictures.removeUnused(tx, appId, { names: some, shown })),
    );
  }
}
