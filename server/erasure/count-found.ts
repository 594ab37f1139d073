import type { Preview } from "../../src/contract/people.ts";
import type { Reader } from "../database/database.ts";
import { type FoundRows, findByAddress } from "./store/addresses.ts";
import { seats } from "./store/erase-seats.ts";
import { type Erasing, findAt, firstPlaces, type Place } from "./store/passes.ts";

/** A person waits for the answer, and an erasure searches everything itself. */
const longestMilliseconds = 100;

type Counts = Preview["counts"];

/**
 * Counts what an erasure would find. A row counts once, where it is first found. What the person sent and got is found by indexes; then
 * all tables are searched side by side: the first rows of each in any case, so that a small server's counts are always complete, and
 * further ones until the time is over. (rule P13)
 */
export async function countFound(
  reader: Reader,
  erasing: Erasing,
  milliseconds = longestMilliseconds,
): Promise<Pick<Preview, "counts" | "complete">> {
  const until = performance.now() + milliseconds;
  const { counts, add } = tallyFrom(await seats.countEnded(reader, erasing.person, erasing.scope));
  for (const found of await findByAddress(reader, erasing)) add(found);
  for (let places = firstPlaces; places.length > 0; ) {
    const further: Place[] = [];
    for (const place of places) {
      if (place.after !== undefined && performance.now() > until) return { counts, complete: false };
      const found = await findAt(reader, erasing, place);
      if (found === undefined) continue;
      add(found);
      if (found.next.pass === place.pass) further.push(found.next);
    }
    places = further;
  }
  return { counts, complete: true };
}

function tallyFrom(seatsEnded: number) {
  const counts: Counts = {
    ...{ threads: 0, messages: 0, mails: 0, invitations: 0 },
    ...{ seats: seatsEnded, answers: 0, audit: 0, texts: 0 },
  };
  const seen = new Set<string>();
  const add = ({ table, count, keys }: FoundRows): void => {
    for (const key of keys) {
      const row = [table, ...key].join("\n");
      if (seen.has(row)) continue;
      seen.add(row);
      counts[count] += 1;
    }
  };
  return { counts, add };
}
