import * as z from "zod/mini";
import { openEnum } from "./fields.ts";

/** The parts of a thread in which a search finds lines. */
export const foundIn = [
  ...(["subject", "report", "repeat", "answer", "reply", "note", "plan"] as const),
  ...(["sender", "tag", "file", "metadata", "source"] as const),
] as const;

export type FoundIn = (typeof foundIn)[number];

/** The line that shows why a search found a thread. `marks` are the found parts, in UTF-16 units of `text`. */
export const FoundLine = z.object({
  in: openEnum(foundIn),
  text: z.string(),
  marks: z.array(z.object({ start: z.int(), end: z.int() })),
});

export type FoundLine = z.output<typeof FoundLine>;

/**
 * A number of threads. It is a text such as `500+` if there are more, or if the search had no time to count them all.
 */
export const Count = z.union([z.int(), z.string()]);

/** An operator in a query whose value the search does not know. The search looked for both as words. */
export const UnknownValue = z.object({
  /** The operator, such as `type`. */
  operator: z.string(),
  value: z.string(),
  /** The operator with each value that it can have, or with examples of dates. */
  allowed: z.array(z.string()),
});

export type UnknownValue = z.output<typeof UnknownValue>;

/** Facts about the whole search. Only its first page contains them. */
export const SearchFacts = z.object({
  /** The number of found threads of each status, including statuses that were not requested. */
  counts: z.object({ open: Count, in_progress: Count, resolved: Count, archived: Count }),
  /** A corrected query, with words that exist. Only set if a word of the query is in no thread. */
  didYouMean: z.nullable(z.string()),
  /** Whether the index still lacks threads, for example in the first minutes after an update of the server. */
  indexing: z.boolean(),
  /** The operators whose value the search does not know, if there are any. */
  unknownValues: z.optional(z.array(UnknownValue)),
});

export type SearchFacts = z.output<typeof SearchFacts>;
