import type { CycleReport } from "../../../../src/contract/cycles.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { dateOfDay, justBefore, lengthOfTime, zonedDay } from "../../../console/zoned-times.ts";
import { ZonedDate } from "../../../console/zoned-timestamp.tsx";
import { SlotBadge } from "./cycle-badges.tsx";

export interface CycleReportProps {
  readonly report: CycleReport;
}

/** How many testers have each day counted, as a bar and as a number. */
export const TestersPerDay = ({ report: { cycle, seats, testersPerDay } }: CycleReportProps) => {
  const most = new Set(seats.map(({ seat }) => seat)).size;
  return (
    <table>
      <caption class="unseen">Testers with the day counted</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Date</th>
          <th scope="col" class="wide-column">
            Testers with the day counted
          </th>
          <th scope="col" class="figure">
            <span class="unseen">How many</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <InTurns>
          {testersPerDay.map(({ dayIndex, testers }) => (
            <tr key={dayIndex}>
              <th scope="row">{dayIndex}</th>
              <td class="fit">{zonedDay(dateOfDay(cycle.startsOn, dayIndex).toISOString(), "UTC")}</td>
              <td>
                <svg class="bar-of-day" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="ground" width="100" height="8" rx="1" />
                  <rect class="filled" width={(100 * testers) / most} height="8" rx="1" />
                </svg>
              </td>
              <td class="figure">{dayIndex > cycle.dayIndex ? "–" : testers}</td>
            </tr>
          ))}
        </InTurns>
      </tbody>
    </table>
  );
};

/** The slots of a cycle by number. It does not name the testers. */
export const CycleReportSlots = ({ report: { cycle, seats } }: CycleReportProps) => (
  <table>
    <caption class="unseen">Slots</caption>
    <thead>
      <tr>
        <th scope="col">Slot</th>
        <th scope="col">State</th>
        <th scope="col">From</th>
        <th scope="col">Until</th>
        {["Days counted", "By session", "By proof", "Missed", "Sessions", "Time tested"].map((name) => (
          <th scope="col" class="figure" key={name}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      <InTurns>
        {seats.map((slot) => (
          <tr key={slot.slotId} class={slot.status === "removed" ? "removed" : undefined}>
            <th scope="row">{slot.seat}</th>
            <td>
              <SlotBadge status={slot.status} />
            </td>
            <td class="fit">{dayOrNothing(slot.activatedAt, cycle.timezone)}</td>
            <td class="fit">{dayOrNothing(slot.endedAt && justBefore(slot.endedAt), cycle.timezone)}</td>
            <td class="figure">
              <b>{slot.daysCounted}</b>
            </td>
            <td class="figure">{slot.daysBySession}</td>
            <td class="figure">{slot.daysByProof}</td>
            <td class="figure">{slot.missedDays}</td>
            <td class="figure">{slot.sessions}</td>
            <td class="figure fit">{lengthOfTime(slot.secondsTested)}</td>
          </tr>
        ))}
      </InTurns>
    </tbody>
  </table>
);

const dayOrNothing = (at: string | null, timezone: string) =>
  at === null ? <span class="muted">–</span> : <ZonedDate at={at} timezone={timezone} />;
