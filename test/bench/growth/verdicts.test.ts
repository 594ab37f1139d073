import { describe, expect, it } from "vitest";
import type { Timing } from "./measure.ts";
import { idOf, type Measured } from "./requests/measured.ts";
import { type Line, verdictsOf } from "./verdicts.ts";

describe("the verdicts of the growth benchmark", () => {
  it("allow a fuller answer twice the time of the longest answer of its route", () => {
    const full = line({ path: "/feedback?limit=50" }, { p50: 5, length: 50 }, { p50: 6, length: 50 });
    const rare = line({ path: "/feedback?status=new" }, { p50: 1, length: 1 }, { p50: 9, length: 50 });
    expect(faultsIn([full, rare])).toEqual([]);
  });

  it("compare requests of one route, whatever ids they name", () => {
    const full = line({ path: `/apps/${idOf("1", 1)}` }, { p50: 5, length: 50 }, { p50: 5, length: 50 });
    const other = line({ path: `/apps/${idOf("1", 2)}` }, { p50: 1, length: 1 }, { p50: 9, length: 50 });
    expect(faultsIn([full, other])).toEqual([]);
  });

  it.each([
    ["more than twice the time with few threads", { p50: 5 }, { p50: 11 }, ["MISSED"]],
    ["more than twice the time, but within the time that is always allowed", { p50: 1 }, { p50: 4 }, []],
    ["a turn above 20 ms", { p50: 5 }, { p50: 5, turnP99: 21 }, ["STALLED"]],
  ])("find %s", (_, few, many, faults) => {
    expect(faultsIn([line({}, few, many)])).toEqual(faults);
  });

  it("allow an answer that is not fuller only twice its own time", () => {
    const full = line({ path: "/feedback?limit=50" }, { p50: 6, length: 50 }, { p50: 6, length: 50 });
    const own = line({ path: "/feedback?assignee=me" }, { p50: 1, length: 50 }, { p50: 11, length: 50 });
    expect(faultsIn([full, own])).toEqual(["MISSED"]);
  });

  it("judge a search by its 99th percentile alone", () => {
    const slow = line({ isSearch: true }, { p50: 1 }, { p50: 30, p99: 51 });
    const good = line({ isSearch: true }, { p50: 1 }, { p50: 30, p99: 49 });
    expect(faultsIn([slow, good])).toEqual(["MISSED"]);
  });
});

const faultsIn = (lines: readonly Line[]) =>
  verdictsOf(lines, 5).flatMap((verdict) => /^(MISSED|STALLED)/.exec(verdict)?.[0] ?? []);

function line(asked: Partial<Measured>, few: Partial<Timing>, many: Partial<Timing>): Line {
  const usual = { p50: 1, p99: 2, turnP99: 1, longestTurn: 2, length: 10 };
  return {
    asked: { name: "a request", by: "person", path: "/", ...asked },
    few: { ...usual, ...few },
    many: { ...usual, ...many },
  };
}
