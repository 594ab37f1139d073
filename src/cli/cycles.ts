import type { Cycle, CycleReport } from "../contract/cycles.ts";
import { usageError } from "./core/cli-error.ts";
import { confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";
import { systemTimeZone } from "./core/time-zone.ts";
import { gridColumns, gridLegend, slotColumns } from "./cycle-grid.ts";
import { cycleIdOf, listingIdOf } from "./ids.ts";

export interface CycleFlags {
  readonly startsOn: string;
  readonly timezone?: string;
}

export async function listCycles(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const listingId = await listingIdOf(invocation, given);
  const { items } = await invocation.client().cycles.list({ params: { listingId } });
  printList(invocation, { items, columns });
}

const columns: readonly Column<Cycle>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "status", of: ({ status }) => status },
  { heading: "starts", of: ({ startsOn }) => startsOn },
  { heading: "zone", of: ({ timezone }) => timezone },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "ends", of: ({ endsAt }) => endsAt },
];

/** Plans a test cycle, in the time zone of this machine unless another is given. */
export async function createCycle(
  invocation: Invocation,
  { startsOn, timezone = systemTimeZone() }: CycleFlags,
  given: string,
): Promise<undefined> {
  if (!timezone) throw usageError("The time zone of this machine is not known.", "Give --timezone.");
  const listingId = await listingIdOf(invocation, given);
  const body = { startsOn, timezone };
  const made = await invocation.client().cycles.create({ params: { listingId }, body });
  const { cycle, slots } = made;
  note(invocation, `Planned cycle ${cycle.id} with ${slots.length} slots. It starts and ends by itself.`);
  printOne(invocation, made, () => cycleLines(cycle));
}

/** Shows the slots and their days, a character for each day. */
export async function viewCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  const { cycle, slots } = await invocation.client().cycles.read({ params: { cycleId } });
  note(invocation, `${cycleLines(cycle)}\n`);
  printList(invocation, { items: slots, columns: gridColumns, extra: { cycle }, name: "slots" });
  note(invocation, `\n${gridLegend}`);
}

export async function cancelCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  await confirm(invocation, `Cancel cycle ${cycleId}? Its testers lose their slots permanently.`);
  const cycle = await invocation.client().cycles.cancel({ params: { cycleId }, body: {} });
  note(invocation, `Called cycle ${cycle.id} off.`);
  printOne(invocation, cycle, () => cycleLines(cycle));
}

export async function reportCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  const report = await invocation.client().cycles.report({ params: { cycleId } });
  if (invocation.flags.json || invocation.flags.fields) {
    printOne(invocation, report, () => "");
    return;
  }
  note(invocation, `${reportLines(report)}\n`);
  printList(invocation, { items: report.seats, columns: slotColumns });
  note(invocation, `\n${report.statement}`);
}

const cycleLines = ({ id, status, startsOn, timezone, dayIndex, durationDays, endsAt }: Cycle): string =>
  details({
    cycle: id,
    status,
    "first day": `${startsOn} (${timezone})`,
    day: `${dayIndex} of ${durationDays}`,
    ends: endsAt,
  });

const reportLines = ({
  cycle,
  appName,
  packageName,
  testers,
  testersWithEveryDay,
  testersPerDay,
}: CycleReport) =>
  details({
    app: `${appName} (${packageName})`,
    cycle: `${cycle.id}, ${cycle.status}, day ${cycle.dayIndex} of ${cycle.durationDays}`,
    testers,
    "with every day": testersWithEveryDay,
    "testers by day": testersPerDay.map(({ dayIndex, testers: count }) => `${dayIndex}: ${count}`).join(", "),
  });
