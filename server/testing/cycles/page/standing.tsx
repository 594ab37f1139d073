import type { ComponentChildren } from "preact";
import type { CycleDetail } from "../../../../src/contract/cycles.ts";
import type { Listing } from "../../../../src/contract/listings.ts";
import type { TesterAttention, UnbrokenDay } from "../../../../src/contract/standing.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { Can, counted, Line, scrolledByKeys } from "../../../console/parts.tsx";
import { dateOfDay, Remaining, zonedDay } from "../../../console/times.tsx";
import { evidenceOfTier } from "../standing-rules.ts";
import { attentionNames, verdictKinds } from "../parts.tsx";

interface StandingProps {
  readonly detail: CycleDetail;
  readonly listing: Listing;
  readonly now: Date;
  /** The address of the cycle's page. */
  readonly address: string;
  /** The address of the form that plans another cycle of the listing. */
  readonly planAddress: string;
}

/** Shows whether the test can still reach its goal, and links to the actions of its owner. */
export const Verdict = ({ detail: { verdict, slots }, planAddress }: StandingProps) => {
  const { state, text, advice, openSeats } = verdict;
  const isOver = state === "out_of_reach" || state === "not_reached";
  return (
    <section class={`standing ${verdictKinds[state]}`} aria-label="Verdict">
      <p>
        <b>{text}</b>
        {advice !== null && ` ${advice}`}
      </p>
      <Can needs="maintainer">
        <div class="actions">
          {openSeats.length > 0 && (
            <a class="button small" href={slots.some(isOpen) ? "#open-slots" : "#requests"}>
              {openSeats.length === 1 ? `Fill slot ${openSeats[0]}` : `Fill ${openSeats.length} slots`}
            </a>
          )}
          {isOver && (
            <a class="button small" href={planAddress}>
              Plan a new cycle
            </a>
          )}
        </div>
      </Can>
    </section>
  );
};

const isOpen = ({ status }: CycleDetail["slots"][number]): boolean => status === "open";

/** The maximum number of testers that today's list shows before a person opens the rest of the list. */
const mostShown = 8;

/** Shows the testers who have not tested yet, the most urgent first, and beside them the chart of unbroken runs. */
export const TodayAndRuns = (props: StandingProps) => {
  const { detail } = props;
  const isLate = detail.attention.some(({ needsYesterday }) => needsYesterday);
  const hasList = detail.today !== null || isLate;
  if (!hasList && detail.unbroken.length === 0) return null;
  return (
    <div class={hasList && detail.unbroken.length > 0 ? "desk" : "desk one"}>
      {hasList && <Today {...props} />}
      {detail.unbroken.length > 0 && <UnbrokenChart detail={detail} />}
    </div>
  );
};

const Today = (props: StandingProps) => {
  const { detail, now } = props;
  const { today, attention, cycle } = detail;
  const waiting = attention.filter(({ needsToday, needsYesterday }) => needsToday || needsYesterday);
  const until = waiting[0]?.until ?? today?.endsAt;
  const last = cycle.durationDays;
  return (
    <section class="card stack tight" aria-labelledby="today-title">
      <div class="row spread">
        <h2 id="today-title">{today ? `Today, day ${today.dayIndex}` : `Late sessions of day ${last}`}</h2>
        {until !== undefined && (
          <span class="muted small">
            ends <Remaining at={until} now={now} />
          </span>
        )}
      </div>
      {today && attention.length > 0 && (
        <p>
          <b>{today.counted}</b> done · <b>{today.open}</b> still open
        </p>
      )}
      {waiting.length > 0 && <Waiting {...props} rows={waiting.slice(0, mostShown)} />}
      {waiting.length > mostShown && (
        <details class="reveal">
          <summary>{counted(waiting.length - mostShown, "more tester", "more testers")}</summary>
          <Waiting {...props} rows={waiting.slice(mostShown)} />
        </details>
      )}
      {waiting.length === 0 && (
        <p class="muted">
          {attention.length === 0
            ? "No tester has a slot yet."
            : "Every tester with a slot is done for today."}
        </p>
      )}
    </section>
  );
};

const Waiting = ({
  detail,
  listing,
  address,
  rows,
}: StandingProps & { readonly rows: readonly TesterAttention[] }) => (
  <ol class="attention-list">
    <InTurns>
      {rows.map((row) => (
        <li key={row.slotId}>
          <a href={`${address}?slot=${row.slotId}#evidence`} data-into="evidence">
            <EmailOf detail={detail} row={row} />
          </a>
          <span class="muted small">{`Slot ${row.seat} · ${needOf(row, detail, listing)}`}</span>
          <AttentionState state={row.state} />
        </li>
      ))}
    </InTurns>
  </ol>
);

const EmailOf = ({ detail, row }: { readonly detail: CycleDetail; readonly row: TesterAttention }) => (
  <Line
    text={detail.slots.find(({ slotId }) => slotId === row.slotId)?.tester?.email ?? `Slot ${row.seat}`}
  />
);

/** Returns what a tester can still do now, such as `needs a late session of day 8 and a session today`. */
function needOf(
  { needsToday, needsYesterday }: TesterAttention,
  { today, cycle }: CycleDetail,
  { verificationTier }: Listing,
): string {
  const yesterday = today ? today.dayIndex - 1 : cycle.durationDays;
  const parts = [
    ...(needsYesterday ? [`a late session of day ${yesterday}`] : []),
    ...(needsToday ? [`${evidenceOfTier[verificationTier]} today`] : []),
  ];
  return `needs ${parts.join(" and ")}`;
}

const AttentionState = ({ state }: Pick<TesterAttention, "state">): ComponentChildren => (
  <span class={`state ${state}`}>{attentionNames[state]}</span>
);

/** The sizes of the chart in units of its SVG. The page stretches the chart to the width of its card. */
const dayWidth = 20;

const height = 160;

const top = 20;

/** The maximum number of days that have a number under the chart. */
const mostNumbers = 16;

interface ChartProps {
  readonly detail: CycleDetail;
}

/**
 * Shows how many testers have an unbroken run after each day, as a line of steps. Another line shows the number that
 * the test needs. The area between the number of testers so far and the possible number is hatched. A table with the
 * same numbers follows.
 */
const UnbrokenChart = ({ detail }: ChartProps) => {
  const { unbroken, verdict } = detail;
  const newest = unbroken.at(-1);
  return (
    <section class="card stack tight" aria-labelledby="runs-title">
      <div class="row spread">
        <h2 id="runs-title">Testers with an unbroken run</h2>
        <span class="muted small">{`${newest?.possible ?? 0} of ${verdict.testersNeeded}`}</span>
      </div>
      <div class="runs" aria-hidden="true">
        <span class="needed">{verdict.testersNeeded}</span>
        <Plot detail={detail} />
        <DayNumbers days={detail.cycle.durationDays} />
      </div>
      <details class="reveal">
        <summary>Show the numbers</summary>
        <section class="scroll" aria-label="Testers with an unbroken run, a table" {...scrolledByKeys}>
          <Figures detail={detail} />
        </section>
      </details>
    </section>
  );
};

const Plot = ({ detail: { cycle, verdict, unbroken } }: ChartProps) => {
  const width = cycle.durationDays * dayWidth;
  const needed = Math.max(1, verdict.testersNeeded);
  const yOf = (count: number) => height - (Math.min(count, needed) * (height - top)) / needed;
  const areaOf = (from: number, to: number) => ({ y: yOf(to), height: yOf(from) - yOf(to), width: dayWidth });
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id="undecided" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M-1 7l8-8M-1 1l2-2M5 7l2-2" />
        </pattern>
      </defs>
      <InTurns>
        {unbroken.map(({ dayIndex, testers, possible }) => (
          <g key={dayIndex}>
            <rect
              class={possible < needed ? "short" : "enough"}
              x={(dayIndex - 1) * dayWidth}
              {...areaOf(0, testers)}
            />
            <rect
              class="undecided"
              fill="url(#undecided)"
              x={(dayIndex - 1) * dayWidth}
              {...areaOf(testers, possible)}
            />
          </g>
        ))}
      </InTurns>
      <path class="steps" d={stepsOf(unbroken, yOf)} />
      <path class="at-most" d={undecidedSteps(unbroken, yOf)} />
      <path class="needed" d={`M0 ${top}H${width}`} />
      <path class="ground" d={`M0 ${height}H${width}`} />
    </svg>
  );
};

/** Returns the SVG path of the line through the days whose number of testers is final. */
function stepsOf(days: readonly UnbrokenDay[], yOf: (count: number) => number): string {
  const decided = days.filter(({ testers, possible }) => testers === possible);
  return decided.map(({ testers }, at) => `${at === 0 ? "M0 " : "V"}${yOf(testers)}h${dayWidth}`).join("");
}

/**
 * Returns the SVG path of the line through the days whose number of testers can still grow. The height of the line
 * shows the number that is still possible.
 */
function undecidedSteps(days: readonly UnbrokenDay[], yOf: (count: number) => number): string {
  const open = days.filter(({ testers, possible }) => testers !== possible);
  return open
    .map(({ dayIndex, possible }) => `M${(dayIndex - 1) * dayWidth} ${yOf(possible)}h${dayWidth}`)
    .join("");
}

const DayNumbers = ({ days }: { readonly days: number }) => {
  const every = Math.ceil(days / mostNumbers);
  return (
    <ol class="axis">
      {Array.from({ length: days }, (_, at) => at + 1).map((day) => (
        <li key={day}>{(day - 1) % every === 0 ? day : ""}</li>
      ))}
    </ol>
  );
};

const Figures = ({ detail: { cycle, unbroken, verdict } }: ChartProps) => (
  <table>
    <caption class="unseen">{`Testers with an unbroken run; the test needs ${verdict.testersNeeded}`}</caption>
    <thead>
      <tr>
        <th scope="col">Day</th>
        <th scope="col">Date</th>
        <th scope="col" class="figure">
          Testers
        </th>
        <th scope="col" class="figure">
          Still possible
        </th>
      </tr>
    </thead>
    <tbody>
      <InTurns>
        {unbroken.map(({ dayIndex, testers, possible }) => (
          <tr key={dayIndex}>
            <th scope="row">{dayIndex}</th>
            <td class="fit">{zonedDay(dateOfDay(cycle.startsOn, dayIndex).toISOString(), "UTC")}</td>
            <td class="figure">{testers}</td>
            <td class="figure">{possible === testers ? "–" : possible}</td>
          </tr>
        ))}
      </InTurns>
    </tbody>
  </table>
);
