import type { Deps } from "../../deps.ts";
import { removeUnused } from "./removing.ts";
import { pictures } from "./store.ts";

/**
 * A picture that no text shows is kept for this number of days, because its text may be in a form that was not sent
 * yet.
 */
const keptDays = 30;

const atOnce = 1_000;

type SweepDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "log">;

/**
 * Deletes pictures that were added more than 30 days ago and that no FAQ entry and no release note shows. A failure in
 * one app is logged, and the pictures of the other apps are still deleted. (rule C27)
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
