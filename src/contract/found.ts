import * as z from "zod/mini";
import { openEnum } from "./fields.ts";

/** The place of the found line in the thread. */
export const foundIn = [
  ...(["subject", "report", "repeat", "answer", "reply", "note", "plan"] as const),
  ...(["sender", "tag", "file", "metadata", "source"] as const),
] as const;

export type FoundIn = (typeof foundIn)[number];

/** The line that shows why a search found a thread. `marks` are parts of `text`, in UTF-16 code units. */
export const FoundLine = z.object({
  in: openEnum(foundIn),
  text: z.string(),
  marks: z.array(z.object({ start: z.int(), end: z.int() })),
});

export type FoundLine = z.output<typeof FoundLine>;

/** A number of threads. A text such as `500+` if there are more, or if the search had no time to count them all. */
export const Count = z.union([z.int(), z.string()]);

/** An operator of a query whose value is not known, so that it was searched as words. */
export const UnknownValue = z.object({
  /** The operator, such as `type`. */
  operator: z.string(),
  value: z.string(),
  /** The operator with each value that it can have, or with examples of dates. */
  allowed: z.array(z.string()),
});

export type UnknownValue = z.output<typeof UnknownValue>;

/** The facts about the whole search that its first page contains. */
export const SearchFacts = z.object({
  /** The found threads of each status, also of statuses that were not requested. */
  counts: z.object({ open: Count, in_progress: Count, resolved: Count, archived: Count }),
  /** The query with words that exist, if a word of the query is in no thread. */
  didYouMean: z.nullable(z.string()),
  /** Whether the index still lacks threads, for example in the first minutes after an update of the server. */
  indexing: z.boolean(),
  /** The operators with a value that is not known, if there are any. */
  unknownValues: z.optional(z.array(UnknownValue)),
});

export type SearchFacts = z.output<typeof SearchFacts>;
