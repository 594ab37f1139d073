import { describe, expect, it } from "vitest";
import { createHistory } from "../../../server/feedback/live/connections.ts";

const instant = (milliseconds: number) => new Date(Date.UTC(2027, 0, 1) + milliseconds).toISOString();

/** Adds changes of threads that were all made at the same time. */
function addThreads(history: ReturnType<typeof createHistory>, count: number, at: string): void {
  const changes = Array.from({ length: count }, () => ({ kind: "thread", threadId: "t" }) as const);
  history.add(changes, at);
}

describe("the events that a browser has missed", () => {
  const kinds = (history: ReturnType<typeof createHistory>, since: string) =>
    history.missed({ lastEventId: undefined, since }, instant(60_000)).map(({ kind }) => kind);

  it("are all kept events since the time at which the browser read its data", () => {
    const history = createHistory(instant(0));
    addThreads(history, 2, instant(10_000));
    expect(kinds(history, instant(9_000))).toEqual(["thread", "thread"]);
    expect(kinds(history, instant(12_001))).toEqual([]);
  });

  it("are unknown if a dropped event was as old as the first event that the browser needs", () => {
    const history = createHistory(instant(0));
    addThreads(history, 1, instant(10_000));
    addThreads(history, 500, instant(10_000));
    // Events of the two seconds before this time are also needed, because the clocks of servers differ.
    expect(kinds(history, instant(12_000))).toEqual(["everything"]);
    expect(kinds(history, instant(12_001))).toEqual([]);
  });
});
