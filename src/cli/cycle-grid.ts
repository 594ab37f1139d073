import type { CycleReport, SlotWithDays } from "../contract/cycles.ts";
import type { Column } from "./core/output.ts";

type Day = SlotWithDays["days"][number];

/** The slots of a cycle, with a character for each day. */
export const gridColumns: readonly Column<SlotWithDays>[] = [
  { heading: "number", of: ({ seat }) => seat },
  { heading: "days", of: ({ days }) => days.map(markOf).join("") },
  { heading: "status", of: ({ status }) => status },
  { heading: "counted", of: ({ daysCounted }) => daysCounted },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "tester", of: ({ tester }) => tester?.email },
  {
    heading: "join",
    of: ({ joinCheckPending, endedAt }) => (joinCheckPending && !endedAt ? "to be confirmed" : ""),
  },
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
];

export const gridLegend = "S counted by a session, P by a proof, x missed, o today, . ahead, - no tester";

const marks: Readonly<Record<Day["state"], string>> = {
  counted: "S",
  missed: "x",
  open: "o",
  ahead: ".",
  none: "-",
};

const markOf = ({ state, countedBy }: Day): string =>
  state === "counted" && countedBy === "proof" ? "P" : (marks[state] ?? "?");

/** The slots of a report. */
export const slotColumns: readonly Column<CycleReport["seats"][number]>[] = [
  { heading: "number", of: ({ seat }) => seat },
  { heading: "status", of: ({ status }) => status },
  { heading: "counted", of: ({ daysCounted }) => daysCounted },
  { heading: "by session", of: ({ daysBySession }) => daysBySession },
  { heading: "by proof", of: ({ daysByProof }) => daysByProof },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "sessions", of: ({ sessions }) => sessions },
  { heading: "minutes", of: ({ secondsTested }) => Math.round(secondsTested / 60) },
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
];
