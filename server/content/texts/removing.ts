import type { Deps } from "../../deps.ts";
import { removeFiles } from "../../feedback/removal/remove.ts";

/** Notes the hashes of files to which nothing refers after the commit. */
export type NoteFiles = (hashes: readonly string[]) => void;

/** Runs a change, and then deletes the files that it has noted. They are deleted only if the change succeeds. */
export async function removing<Answer>(
  deps: Pick<Deps, "database" | "keptFiles" | "log">,
  change: (note: NoteFiles) => Promise<Answer>,
): Promise<Answer> {
  let noted: readonly string[] = [];
  const answer = await change((hashes) => {
    noted = hashes;
  });
  removeFiles(deps, noted);
  return answer;
}
