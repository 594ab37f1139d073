import type { Deps } from "../../deps.ts";
import { pictures } from "./store.ts";

/** The days for which a picture is kept although no text shows it: its text may wait in an unsent form. */
const keptDays = 30;

const atOnce = 100;

/** Deletes pictures that no entry and no release note has shown for 30 days since they were added. (rule C27) */
export async function sweepPictures(
  { clock, database, keptFiles, log }: Pick<Deps, "clock" | "database" | "keptFiles" | "log">,
  stopping: AbortSignal,
): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000).toISOString();
  for (let after: string | undefined = ""; after !== undefined && !stopping.aborted; ) {
    const from: string = after;
    const found = await pictures.listOld(database, { before, after: from, most: atOnce });
    const hashes = await database.write(async (tx) => {
      const gone: string[] = [];
      for (const { appId, name } of found) gone.push(...(await pictures.removeUnused(tx, appId, [name])));
      return gone;
    });
    keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
    after = found.length < atOnce ? undefined : found.at(-1)?.name;
  }
}
