import type { CycleDetail } from "../../../../src/contract/cycles.ts";
import type { UnbrokenDay } from "../../../../src/contract/standing.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { scrolledByKeys } from "../../../console/parts.tsx";
import { dateOfDay, zonedDay } from "../../../console/times.tsx";

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
export const UnbrokenChart = ({ detail }: ChartProps) => {
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
