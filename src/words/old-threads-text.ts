import type { OldThreads } from "../contract/apps.ts";

/** Returns the beginning of a sentence that states the number of old threads. */
export function oldThreadsText({ threads, more }: OldThreads): string {
  if (threads === 1) return "1 resolved thread is";
  const count = threads.toLocaleString("en");
  return `${more ? `More than ${count}` : count} resolved threads are`;
}
