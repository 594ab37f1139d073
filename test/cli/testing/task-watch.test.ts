import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Tasks } from "../../../src/cli/testing/task-screen.lazy.tsx";
import { showTasks } from "../../../src/cli/testing/task-screen.lazy.tsx";
import type { PollResult } from "../../../src/client/wait.ts";
import { eventually } from "../../support/eventually.ts";

const now = new Date("2026-11-21T12:00:00Z");
const task = {
  ...{
    slotId: "s",
    cycleId: "c",
    listingId: "l",
    appName: "Lantern\u001b[2J",
    iconUrl: "",
    packageName: "p",
  },
  ...{ optInUrl: "", testBrief: "", dayIndex: 3, durationDays: 14, targetScreen: "Map", submitted: false },
  ...{ dueBy: "2026-11-21T15:30:00Z", slotStatus: "at_risk", missedDays: 1, joinCheckPending: false },
  verificationTier: "screenshot",
};
const seen: PollResult<Tasks> = { at: now, nextInMs: 30_000, value: { tasks: [task], outstanding: 1 } };

/** The screen on its own terminal; `shown` is everything that appeared on it. */
const open = (...results: readonly PollResult<Tasks>[]) => openOn(80, ...results);

/** The same on a terminal with the given number of columns. */
function openOn(columns: number, ...results: readonly PollResult<Tasks>[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {}, ref() {}, unref() {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 30 });
  let shown = "";
  stdout.on("data", (chunk: Buffer) => {
    shown += chunk;
  });
  const follow = async function* () {
    yield* results;
    await new Promise(() => {});
  };
  const streams: object = { stdin, stdout, debug: true };
  const ended = showTasks({
    results: follow,
    now: () => now,
    signal: new AbortController().signal,
    streams,
  });
  return { ended, shown: () => shown, type: (keys: string) => stdin.write(keys) };
}

describe("the screen of the command task list --watch", () => {
  it.each(["q", "\u0003"])("shows open tasks with their due times, and ends with the key %j", async (key) => {
    const { ended, shown, type } = open(seen);
    await eventually(() => expect(shown()).toContain("Lantern[2J, day 3 of 14"));
    for (const text of [
      "1 of 1 tasks are still open today",
      "Send a picture of Map",
      "(3 h 30 min left)",
      "one day missed",
    ])
      expect(shown()).toContain(text);
    type(key);
    await expect(ended).resolves.toBeUndefined();
  });

  it("is readable on a terminal of unknown width", async () => {
    const { ended, shown, type } = openOn(0, seen);
    await eventually(() => expect(shown()).toContain("Lantern[2J, day 3 of 14"));
    type("q");
    await ended;
  });

  it("describes a problem in words, and keeps the last tasks", async () => {
    const { ended, shown, type } = open(seen, {
      at: now,
      nextInMs: 7_000,
      failure: new Error("The server is busy."),
    });
    await eventually(() => expect(shown()).toContain("The server is busy."));
    const screen = shown().slice(0, shown().indexOf("busy"));
    expect(screen.slice(screen.lastIndexOf("tasks are still open today"))).toContain("Lantern");
    expect(shown()).toContain("next update in 7 s");
    type("q");
    await ended;
  });
});
