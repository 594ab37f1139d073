import type { ComponentChildren } from "preact";
import type { CycleDetail } from "../../../../src/contract/cycles.ts";
import type { Listing } from "../../../../src/contract/listings.ts";
import type { TesterAttention } from "../../../../src/contract/standing.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { Can, counted, Line } from "../../../console/parts.tsx";
import { Remaining } from "../../../console/times.tsx";
import { evidenceOfTier } from "../../standing/rules.ts";
import { attentionNames, verdictKinds } from "../parts.tsx";
import { UnbrokenChart } from "./chart.tsx";

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
