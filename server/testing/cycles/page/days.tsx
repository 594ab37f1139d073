import type { Cycle, SlotDay, SlotWithDays } from "../../../../src/contract/cycles.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { Line } from "../../../console/text.tsx";
import { dateOfDay, dateParts } from "../../../console/zoned-times.ts";
import { slotNames } from "./cycle-badges.tsx";
import { Mark, markOf, markWords } from "./slot-day-marks.tsx";

/** The slot that is chosen in the grid, and the day of it if one is chosen. */
export interface Chosen {
  readonly slot: SlotWithDays;
  readonly day: SlotDay | undefined;
}

export interface DayGridProps {
  readonly cycle: Cycle;
  readonly slots: readonly SlotWithDays[];
  readonly chosen: Chosen | undefined;
  /** The address of the cycle's page. */
  readonly address: string;
}

/** The grid of slots and days. Each slot, and each day with evidence, links to its details. */
export const SlotDayGrid = (props: DayGridProps) => (
  <section class="scroll days" aria-label="Slots by days" data-arrows>
    <table>
      <caption class="unseen">Slots and their days. Each day leads to its evidence.</caption>
      <thead>
        <tr>
          <th scope="col" class="seat">
            Slot
          </th>
          {daysOf(props.cycle).map((dayIndex) => (
            <DayHead key={dayIndex} cycle={props.cycle} dayIndex={dayIndex} />
          ))}
          <th scope="col" class="sum">
            Days
          </th>
        </tr>
      </thead>
      <tbody>
        <InTurns>
          {props.slots.map((slot) => (
            <SlotRow key={slot.slotId} {...props} slot={slot} />
          ))}
        </InTurns>
      </tbody>
    </table>
  </section>
);

const daysOf = ({ durationDays }: Cycle): number[] => Array.from({ length: durationDays }, (_, at) => at + 1);

const DayHead = ({ cycle, dayIndex }: { readonly cycle: Cycle; readonly dayIndex: number }) => {
  const { weekday, date } = dateParts(dateOfDay(cycle.startsOn, dayIndex));
  const today = cycle.status === "running" && cycle.dayIndex === dayIndex;
  return (
    <th scope="col" class={today ? "today" : undefined} title={`${weekday} ${date}`}>
      <span class="unseen">Day </span>
      {dayIndex}
      <span class="weekday">
        {weekday}
        <span class="unseen">{` ${date}${today ? ", today" : ""}`}</span>
      </span>
    </th>
  );
};

type SlotRowProps = DayGridProps & { readonly slot: SlotWithDays };

const SlotRow = ({ cycle, slot, chosen, address }: SlotRowProps) => {
  const here = chosen?.slot.slotId === slot.slotId ? chosen : undefined;
  const at = (query: Record<string, string>) =>
    `${address}?${new URLSearchParams({ slot: slot.slotId, ...query })}#evidence`;
  return (
    <tr class={slot.status === "removed" ? "removed" : undefined}>
      <th scope="row" class="seat">
        <SlotLink slot={slot} href={at({})} current={here !== undefined && here.day === undefined} />
      </th>
      {slot.days.map((day) => (
        <td key={day.dayIndex} class={isToday(cycle, day) ? "today" : undefined}>
          <Cell
            slot={slot}
            day={day}
            href={at({ day: String(day.dayIndex) })}
            current={here?.day?.dayIndex === day.dayIndex}
          />
        </td>
      ))}
      <td class="sum">{slot.activatedAt === null ? "" : slot.daysCounted}</td>
    </tr>
  );
};

const isToday = ({ status, dayIndex }: Cycle, day: SlotDay): boolean =>
  status === "running" && dayIndex === day.dayIndex;

interface LinkProps {
  readonly slot: SlotWithDays;
  readonly href: string;
  readonly current: boolean;
}

const SlotLink = ({ slot, href, current }: LinkProps) => (
  <a href={href} data-into="evidence" aria-current={current ? "true" : undefined}>
    <span class="number">
      <span class="unseen">Slot </span>
      {slot.seat}
    </span>
    <span class="holder">
      <span class="who">
        {slot.tester === null ? <span class="muted">Nobody yet</span> : <Line text={slot.tester.email} />}
      </span>
      <span class={`state ${slot.status}`}>{stateOf(slot)}</span>
    </span>
  </a>
);

/** `At risk, 2 missed`. */
function stateOf({ status, missedDays, joinCheckPending }: SlotWithDays): string {
  const notes = [
    slotNames[status],
    ...(missedDays > 0 ? [`${missedDays} missed`] : []),
    ...(joinCheckPending && status !== "removed" ? ["join unconfirmed"] : []),
  ];
  return notes.join(", ");
}

const Cell = ({ slot, day, href, current }: LinkProps & { readonly day: SlotDay }) => {
  const mark = markOf(day);
  const name = `Slot ${slot.seat}, day ${day.dayIndex}: ${markWords[mark]}`;
  if (!hasDetails(day)) {
    return (
      <>
        <Mark mark={mark} />
        <span class="unseen">{markWords[mark]}</span>
      </>
    );
  }
  return (
    <a href={href} data-into="evidence" aria-label={name} aria-current={current ? "true" : undefined}>
      <Mark mark={mark} />
    </a>
  );
};

/** Whether a day has details to show. */
const hasDetails = ({ state, sessions, proof }: SlotDay): boolean =>
  (state !== "ahead" && state !== "none") || sessions > 0 || proof !== null;
