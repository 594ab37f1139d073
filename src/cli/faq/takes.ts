import { isId } from "../core/app-id.ts";
import { usageError } from "../core/cli-error.ts";
import { isStart } from "../core/ids.ts";
import type { Take } from "./plan.ts";

/**
 * Reads `--take mine ID … --take theirs ID …`. An id may be given by its start. Throws a usage error for anything that
 * names no entry, or several.
 */
export function takesOf(words: readonly string[] = [], ids: readonly string[]): ReadonlyMap<string, Take> {
  const takes = new Map<string, Take>();
  let side: Take | undefined;
  let named = 0;
  for (const word of words) {
    if (word === "mine" || word === "theirs") {
      if (side && named === 0) throw withoutIds();
      side = word;
      named = 0;
      continue;
    }
    if (!side) throw withoutIds();
    takes.set(wholeOf(word, ids), side);
    named += 1;
  }
  if (side && named === 0) throw withoutIds();
  return takes;
}

const withoutIds = () =>
  usageError("--take needs `mine` or `theirs`, and the ids of entries.", "Such as `--take mine 01a1fda4`.");

function wholeOf(word: string, ids: readonly string[]): string {
  const given = word.toLowerCase();
  const found = [...new Set(ids)].filter((id) =>
    isId(given) ? id === given : isStart(given) && id.startsWith(given),
  );
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  if (id === undefined) throw usageError(`--take: no entry has the id ${word}.`, "Give PATH before --take.");
  throw usageError(`--take: several ids begin with ${word}.`);
}
