import { randomBytes } from "node:crypto";
import type { Change } from "./rules.ts";

/** The position up to which a browser has read. */
export interface Known {
  /** The id of the last event that the browser has received. */
  readonly lastEventId: string | undefined;
  /** When the browser read the data that it shows. */
  readonly since: string | undefined;
}

/** An event in the form in which it is sent. */
export interface SentEvent extends Change {
  readonly number: number;
  readonly at: string;
  /** The lines of the event stream. */
  readonly text: string;
}

/** The last events of one process, for browsers that connect again. (rule F73) */
export interface History {
  /** Turns changes into events, and keeps the last ones. */
  add(changes: readonly Change[], at: string): SentEvent[];
  /**
   * Returns the events that a browser has missed. If they are no longer kept, returns one event of the kind
   * `everything`.
   */
  missed(known: Known, now: string): readonly SentEvent[];
  /** Returns the line with the id of the last event. */
  position(): string;
}

/** The number of events that are kept. */
const mostKept = 500;

/** Events from this time before `since` are also sent, because the clocks of servers differ. */
const marginMs = 2_000;

/** Returns the lines of an event. `id` is undefined for an event that is not kept. */
export const textOf = ({ kind, appId, threadId }: Change, at: string, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ kind, appId, threadId, at })}\n\n`;

/** Creates the history of a process that reads changes since a time. */
export function createHistory(begun: string): History {
  // Event ids of other processes, or of an earlier history, begin with another text.
  const epoch = randomBytes(6).toString("hex");
  const events: SentEvent[] = [];
  let last = 0;
  // All events after this time are kept. Of the events at this time, some may be missing.
  let completeAfter = begun;

  /** Returns the number in an event id. Undefined if the id does not belong to this history. */
  function numberIn(id: string): number | undefined {
    const [, given, digits = ""] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(id) ?? [];
    return given === epoch && Number(digits) <= last ? Number(digits) : undefined;
  }

  function missedAfter(id: string): readonly SentEvent[] | undefined {
    const number = numberIn(id);
    const isKnown = number !== undefined && number >= last - events.length;
    return isKnown ? events.filter((event) => event.number > number) : undefined;
  }

  function missedSince(since: string): readonly SentEvent[] | undefined {
    const from = Date.parse(since) - marginMs;
    return from <= Date.parse(completeAfter) ? undefined : events.filter(({ at }) => Date.parse(at) >= from);
  }

  return {
    add(changes, at) {
      const added = changes.map((change) => {
        last += 1;
        return { ...change, number: last, at, text: textOf(change, at, `${epoch}-${last}`) };
      });
      events.push(...added);
      const dropped = events.splice(0, Math.max(0, events.length - mostKept));
      completeAfter = dropped.at(-1)?.at ?? completeAfter;
      return added;
    },
    missed({ lastEventId, since }, now) {
      if (lastEventId === undefined && since === undefined) return [];
      const found = lastEventId === undefined ? missedSince(since ?? now) : missedAfter(lastEventId);
      const everything = { kind: "everything" } as const;
      return (
        found ?? [{ ...everything, number: last, at: now, text: textOf(everything, now, `${epoch}-${last}`) }]
      );
    },
    position: () => `id: ${epoch}-${last}\n\n`,
  };
}
