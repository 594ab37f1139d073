import type { Preview } from "../../../../src/contract/console/people/people.ts";
import type { Reader } from "../../../store/engine/database.ts";
import { seats } from "../../../store/people/erase-seats.ts";
import { type Erasing, findAt, firstPlace, type Place } from "../../../store/people/passes.ts";

/** A person waits for the answer. */
const longestMilliseconds = 2_500;

type Counts = Preview["counts"];

/** Counts what an erasure would find. A row counts once, where it is first found. */
export async function countFound(
  reader: Reader,
  erasing: Erasing,
): Promise<Pick<Preview, "counts" | "complete">> {
  const until = performance.now() + longestMilliseconds;
  const none: Counts = {
    ...{ threads: 0, messages: 0, mails: 0, invitations: 0 },
    ...{ seats: 0, answers: 0, audit: 0, texts: 0 },
  };
  const counts = { ...none, seats: await seats.countEnded(reader, erasing.person, erasing.scope) };
  const seen = new Set<string>();
  for (let place: Place | undefined = firstPlace; place !== undefined; ) {
    const found = await findAt(reader, erasing, place);
    if (found === undefined) return { counts, complete: true };
    if (performance.now() > until) return { counts, complete: false };
    for (const key of found.keys) {
      const row = [found.table, ...key].join("\n");
      if (seen.has(row)) continue;
      seen.add(row);
      counts[found.count] += 1;
    }
    place = found.next;
  }
  return { counts, complete: true };
}
