import type { DayNumbers } from "../../../src/contract/statistics.ts";
import { fullTime } from "../../console/times.tsx";

const height = 150;
const slot = 20;
const bar = 15;

const types = ["bug", "feature", "question", "general"] as const;

interface DayChartProps {
  readonly days: readonly DayNumbers[];
  /** Returns the address of the list of a day. */
  readonly at: (day: string) => string;
}

/**
 * A chart with a bar for each day and a line for the resolved threads. Each bar is divided by the types of the reports.
 * Screen readers read the table below the chart.
 */
export const DayChart = ({ days, at }: DayChartProps) => {
  const sums = days.map(({ new: by }) => types.reduce((sum, type) => sum + by[type], 0));
  const most = Math.max(1, ...sums, ...days.map(({ resolved }) => resolved));
  const top = niceTop(most);
  return (
    <div class="day-chart">
      <p class="scale small muted" aria-hidden="true">
        {[top, top / 2, 0].map((count) => (
          <span key={count}>{count.toLocaleString("en")}</span>
        ))}
      </p>
      <Days {...{ days, sums, top, at }} />
    </div>
  );
};

/**
 * The bars and the line. The numbers beside them are not part of the drawing, because the drawing is stretched to the
 * available width.
 */
const Days = ({
  days,
  sums,
  top,
  at,
}: DayChartProps & {
  readonly sums: readonly number[];
  /** The number at the top of the drawing. */
  readonly top: number;
}) => {
  const y = (count: number) => height - (count * height) / top;
  return (
    <svg viewBox={`0 0 ${days.length * slot} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {[top / 2, top].map((count) => (
        <line key={count} class="grid" x1="0" x2={days.length * slot} y1={y(count)} y2={y(count)} />
      ))}
      {days.map((day, index) => {
        let below = 0;
        return (
          <a key={day.day} href={at(day.day)} tabIndex={-1}>
            <title>{`${fullTime(`${day.day}T00:00:00.000Z`).split(",")[0]}: ${sums[index]} new, ${day.resolved} resolved`}</title>
            <rect class="target" x={index * slot} y="0" width={slot} height={height} />
            {types.map((type) => {
              const from = below;
              below += day.new[type];
              return day.new[type] === 0 ? null : (
                <rect
                  key={type}
                  class={type}
                  x={index * slot + (slot - bar) / 2}
                  y={y(below)}
                  width={bar}
                  height={y(from) - y(below)}
                />
              );
            })}
          </a>
        );
      })}
      <polyline
        class="resolved"
        points={days.map(({ resolved }, index) => `${index * slot + slot / 2},${y(resolved)}`).join(" ")}
      />
      <line class="axis" x1="0" x2={days.length * slot} y1={height} y2={height} />
    </svg>
  );
};

/** Returns the next round number that is not less than `most`. Half of this number is also a whole number. */
const niceTop = (most: number): number => {
  const step = 10 ** Math.floor(Math.log10(most));
  return Math.max(2, [1, 2, 4, 6, 8, 10].map((factor) => factor * step).find((top) => top >= most) ?? most);
};

/** A horizontal bar. `share` is its length in proportion to the longest bar, from 0 to 1. */
export const Bar = ({
  share,
  tone,
}: {
  readonly share: number;
  readonly tone?: "attention" | "danger" | undefined;
}) => (
  <svg class="bar-of-day" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="ground" width="100" height="8" rx="1" />
    <rect
      class={tone === undefined ? "filled" : `filled ${tone}`}
      width={Math.max(0, 100 * share)}
      height="8"
      rx="1"
    />
  </svg>
);

/** Small bars without numbers, one for each day. */
export const Sparkline = ({ counts }: { readonly counts: readonly number[] }) => {
  const most = Math.max(1, ...counts);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${counts.length * 6} 20`}
      width={counts.length * 6}
      height="20"
      aria-hidden="true"
    >
      {counts.map((count, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the days have no other names here, and never move
        <rect key={index} x={index * 6} width="4" y={20 - (20 * count) / most} height={(20 * count) / most} />
      ))}
    </svg>
  );
};
