import type { Reader } from "../../database/database.ts";
import { threadChanges } from "../agent-work/store/changes.ts";
import { type Change, combine } from "./rules.ts";
import { liveReads } from "./store.ts";
import { mayChangeThreads, meansEverything, partsOf, placeIn } from "./topics.ts";

/** If there are more changes than this at once, they are replaced by one change of the kind `everything`. */
const mostChanges = 100;

/** Changes, and the mark up to which the changes of threads were read. */
interface Read {
  readonly mark: string;
  readonly changes: readonly Change[];
}

/**
 * Returns the changes that the given topics name. Changes of threads are also read from the sequence of changes after
 * the mark, because no topic is signalled for a new report. Changes of tags and assignees have only a topic.
 */
export async function readChanges(reader: Reader, mark: string, topics: readonly string[]): Promise<Read> {
  if (topics.length > mostChanges || topics.some(meansEverything))
    return { mark: await threadChanges.present(reader), changes: everything };
  const changes: Change[] = [];
  for (const topic of topics) changes.push(...(await changesOf(reader, topic)));
  if (!topics.some(mayChangeThreads)) return { mark, changes: combine(changes) };
  const { mark: next, threads } = await liveReads.threadsAfter(reader, mark, mostChanges);
  const ofThreads: readonly Change[] = threads?.map((place) => ({ kind: "thread", ...place })) ?? everything;
  return { mark: next, changes: combine([...changes, ...ofThreads]) };
}

const everything: readonly Change[] = [{ kind: "everything" }];

async function changesOf(reader: Reader, topic: string): Promise<Change[]> {
  const { name, id } = partsOf(topic);
  if (id === "") return [];
  if (name === "app") return [{ kind: "content", appId: id }];
  if (name === "lists") return [{ kind: "thread", appId: id }];
  if (name === "access") return [{ kind: "app", appId: id }];
  const found = placeIn(topic);
  const place = found && (await liveReads.placeOf(reader, found.place, id));
  return found && place ? [{ kind: found.kind, ...place }] : [];
}
