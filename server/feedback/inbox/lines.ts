import type { FoundLine } from "../../../src/contract/found.ts";
import type { Reader } from "../../database/database.ts";
import { foundLine } from "../search/matches.ts";
import { readQuery } from "../search/rules.ts";
import { textsInParts, withManyMessages } from "../search/store/search.ts";

/**
 * Returns for each of these threads the line that shows why the query `q` found the thread. The keys are the `seq` of
 * the threads.
 */
export async function foundLines(
  reader: Reader,
  q: string,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, FoundLine>> {
  const { marked } = readQuery(q);
  const lines = new Map<number, FoundLine>();
  if (marked.length === 0) return lines;
  const rest: number[] = [];
  for await (const { seq, texts } of textsInParts(reader, seqs)) {
    const line = foundLine(texts, marked);
    if (line === undefined) rest.push(seq);
    else lines.set(seq, line);
  }
  for await (const { seq, texts } of withManyMessages(reader, rest)) {
    const line = foundLine(texts, marked);
    if (line !== undefined) lines.set(seq, line);
  }
  return lines;
}
