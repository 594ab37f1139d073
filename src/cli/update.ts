import { isCiJob } from "./core/ci.ts";
import type { Context } from "./core/context.ts";
import { isDayOver } from "./core/once-a-day.ts";
import { updateSource } from "./update-check.ts";
import { readUpdateState, type UpdateState, writeUpdateState } from "./update-state.ts";

/**
 * Informs a person at a terminal about a newer version, at most once a day. Gives whether it is time to ask for the newest
 * version again. It reads one small file, and waits for nothing. (rule L53)
 */
export function noticeUpdate(context: Context, argv: readonly string[]): boolean {
  const { io, env, clock, version, newId } = context;
  const source = updateSource(env);
  if (!source || !io.stderr.isTerminal || isCiJob(env) || env.INNKEEP_NO_UPDATE_NOTICE) return false;
  if (argv.includes("--json")) return false;
  const now = clock.now().getTime();
  const state = readUpdateState(context);
  const asks = isDayOver(state.askedAt, now);
  const announces = isDayOver(state.toldAt, now) && state.latest !== null && isNewer(state.latest, version);
  if (!asks && !announces) return false;
  const next: UpdateState = {
    ...state,
    ...(asks && { askedAt: now }),
    ...(announces && { toldAt: now }),
  };
  try {
    writeUpdateState(context, next, newId);
  } catch {
    // Without this file every command would ask again.
    return false;
  }
  if (announces)
    io.stderr.write(
      `\ninnkeep ${state.latest} is out; this is ${version}. \`npm install --global --registry ${source.registry} ${source.name}\` updates it.\n` +
        "INNKEEP_NO_UPDATE_NOTICE=1 turns this notice off.\n",
    );
  return asks;
}

const numbersOf = (version: string): readonly number[] => version.split(/[.-]/, 3).map(Number);

function isNewer(latest: string, own: string): boolean {
  const [ours, theirs] = [numbersOf(own), numbersOf(latest)];
  const at = theirs.findIndex((number, index) => number !== ours[index]);
  return at >= 0 && (theirs[at] ?? 0) > (ours[at] ?? 0);
}
