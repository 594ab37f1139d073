import type { ComponentChildren } from "preact";
import type { Cycle, CycleDetail, Listing, SlotDay, SlotWithDays } from "../../../../src/contract/cycles.ts";
import type { TesterAttention, UnbrokenDay } from "../../../../src/contract/standing.ts";
import type { SessionReason } from "../../../../src/contract/test-sessions.ts";
import { Picture } from "../../../console/files.tsx";
import { Can, counted, Line, scrolledByKeys, UserText } from "../../../console/parts.tsx";
import { InTurns } from "../../../console/respond.tsx";
import {
  dateOfDay,
  dateParts,
  lengthOfTime,
  Remaining,
  ZonedTime,
  zonedClock,
  zonedDay,
} from "../../../console/times.tsx";
import { evidenceOfTier, qualifyingSession } from "../../days/rules.ts";
import { slotNames, verdictKinds } from "../parts.tsx";

interface StandingProps {
  readonly detail: CycleDetail;
  readonly listing: Listing;
  readonly now: Date;
  /** The address of the cycle's page. */
  readonly address: string;
  /** The address of the form that plans another cycle of the listing. */
  readonly planAddress: string;
}

/** Shows whether the test can still reach its goal. Also shows links to what a maintainer can do. */
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

/** Shows the testers whose session or proof is missing, and the chart of testers with every day counted. */
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

/** Returns what a tester can do now, such as `needs a late session of day 8 and a session today`. */
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

/** Lengths in the chart, in units of its SVG. The page stretches the chart to the width of its card. */
const dayWidth = 20;

const height = 160;

const top = 20;

/** The maximum number of days that have a number under the chart. */
const mostNumbers = 16;

interface ChartProps {
  readonly detail: CycleDetail;
}

/**
 * Shows how many testers have every day counted. A hatched area shows for how many testers this is still
 * possible.
 */
const UnbrokenChart = ({ detail }: ChartProps) => {
  const { unbroken, verdict } = detail;
  const newest = unbroken.at(-1);
  return (
    <section class="card stack tight" aria-labelledby="runs-title">
      <div class="row spread">
        <h2 id="runs-title">Testers with every day counted</h2>
        <span class="muted small">{`${newest?.possible ?? 0} of ${verdict.testersNeeded}`}</span>
      </div>
      <div class="runs" aria-hidden="true">
        <span class="needed">{verdict.testersNeeded}</span>
        <Plot detail={detail} />
        <DayNumbers days={detail.cycle.durationDays} />
      </div>
      <details class="reveal">
        <summary>Show the numbers</summary>
        <section class="scroll" aria-label="Testers with every day counted, a table" {...scrolledByKeys}>
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

/** Returns the SVG path for undecided days. Its height shows how many testers are possible. */
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
    <caption class="unseen">{`Testers with every day counted; the test needs ${verdict.testersNeeded}`}</caption>
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

/** The chosen slot of the grid, and its day if a day is chosen. */
export interface Chosen {
  readonly slot: SlotWithDays;
  readonly day: SlotDay | undefined;
}

interface DayGridProps {
  readonly detail: CycleDetail;
  readonly chosen: Chosen | undefined;
  /** The address of the cycle's page. */
  readonly address: string;
  /** Whether the slots that need attention come first. Otherwise the slots are in the order of their numbers. */
  readonly byAttention: boolean;
}

/** Shows the grid of slots and days, and explains its symbols. Slots and days with evidence link to details. */
export const SlotDayGrid = (props: DayGridProps) => (
  <>
    <section class="scroll days" aria-label="Slots by days" data-arrows>
      <table>
        <caption class="unseen">Slots and their days. Each day has a link to its evidence.</caption>
        <thead>
          <tr>
            <th scope="col" class="seat">
              Slot
            </th>
            {daysOf(props.detail.cycle).map((dayIndex) => (
              <DayHead key={dayIndex} cycle={props.detail.cycle} dayIndex={dayIndex} />
            ))}
            <th scope="col" class="sum">
              Days
            </th>
          </tr>
        </thead>
        <tbody>
          <InTurns>
            {inOrder(props).map((slot) => (
              <SlotRow key={slot.slotId} {...props} slot={slot} />
            ))}
          </InTurns>
        </tbody>
      </table>
    </section>
    <Legend />
  </>
);

/**
 * Returns the slots of the grid. With `byAttention`, slots in `attention` come first and removed slots last.
 */
function inOrder({ detail: { slots, attention }, byAttention }: DayGridProps): readonly SlotWithDays[] {
  if (!byAttention) return slots;
  const places = new Map(attention.map(({ slotId }, at) => [slotId, at]));
  const placeOf = ({ slotId, status }: SlotWithDays) =>
    places.get(slotId) ?? attention.length + (status === "removed" ? 1 : 0);
  return slots.toSorted((one, other) => placeOf(one) - placeOf(other));
}

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

const SlotRow = ({
  detail: { cycle, attention },
  slot,
  chosen,
  address,
  byAttention,
}: DayGridProps & { readonly slot: SlotWithDays }) => {
  const here = chosen?.slot.slotId === slot.slotId ? chosen : undefined;
  const order: Record<string, string> = byAttention ? { order: "attention" } : {};
  const at = (query: Record<string, string>) =>
    `${address}?${new URLSearchParams({ ...order, slot: slot.slotId, ...query })}#evidence`;
  const needs = attention.find(({ slotId }) => slotId === slot.slotId)?.state;
  return (
    <tr class={slot.status === "removed" ? "removed" : undefined}>
      <th scope="row" class="seat">
        <SlotLink {...{ slot, needs }} href={at({})} current={here !== undefined && here.day === undefined} />
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

const SlotLink = ({
  slot,
  needs,
  href,
  current,
}: LinkProps & { readonly needs: TesterAttention["state"] | undefined }) => (
  <a href={href} data-into="evidence" aria-current={current ? "true" : undefined}>
    <span class="number">
      <span class="unseen">Slot </span>
      {slot.seat}
    </span>
    <span class="holder">
      <span class="who">
        {slot.tester === null ? <span class="muted">Nobody yet</span> : <Line text={slot.tester.email} />}
      </span>
      <span class={`state ${needs ?? slot.status}`}>{stateOf(slot, needs)}</span>
    </span>
  </a>
);

/** Returns the state of a slot as text, such as `Missed yesterday, 2 missed`. */
function stateOf(
  { status, missedDays, joinCheckPending }: SlotWithDays,
  needs: TesterAttention["state"] | undefined,
): string {
  const notes = [
    needs === undefined ? slotNames[status] : attentionNames[needs],
    ...(missedDays > 0 ? [`${missedDays} missed`] : []),
    ...(joinCheckPending && status !== "removed" ? ["joining not confirmed"] : []),
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

const hasDetails = ({ state, sessions, proof }: SlotDay): boolean =>
  (state !== "ahead" && state !== "none") || sessions > 0 || proof !== null;

/** Shows the evidence for a day of a slot. If the day did not count, shows the reason. */
export const SlotDayEvidence = ({
  cycle,
  slot,
  day,
  uploads,
}: {
  readonly cycle: Cycle;
  readonly slot: SlotWithDays;
  readonly day: SlotDay;
  /** The start of the addresses of uploaded images. Images with other addresses are not shown. */
  readonly uploads: string;
}) => (
  <>
    <h2>{`Slot ${slot.seat}, day ${day.dayIndex}`}</h2>
    <p class="muted">
      {zonedDay(dateOfDay(cycle.startsOn, day.dayIndex).toISOString(), "UTC")}
      {slot.tester !== null && (
        <>
          {" · "}
          <Line text={slot.tester.email} />
        </>
      )}
    </p>
    <p class="verdict">
      <Mark mark={markOf(day)} />
      <b>{verdictOf(day)}</b>
    </p>
    {day.state !== "counted" && <WhyNot day={day} />}
    {day.session && <SessionFacts cycle={cycle} day={day} session={day.session} />}
    {day.proof && <ProofFacts cycle={cycle} proof={day.proof} uploads={uploads} />}
    <p class="muted small">{`Times are in ${cycle.timezone}.`}</p>
  </>
);

function verdictOf({ state, countedBy }: SlotDay): string {
  switch (state) {
    case "counted":
      return countedBy === "proof" ? "Counted by a proof" : "Counted by a session";
    case "missed":
      return "Missed: the day ended and was not counted";
    case "open":
      return "Open: the day can still be counted today";
    case "ahead":
      return "The day has not begun yet";
    default:
      return "Not required: the slot became active only on this day or later, or it had already ended";
  }
}

const WhyNot = ({ day: { reason, sessions, state } }: { readonly day: SlotDay }) => {
  if (reason !== null) {
    return (
      <p class="why">
        <b>{sessions > 1 ? "The last session did not count." : "The session did not count."}</b>{" "}
        {reasonSentence(reason)}
      </p>
    );
  }
  if (sessions > 0 || (state !== "missed" && state !== "open")) return null;
  return <p class="why">No session and no proof arrived for this day.</p>;
};

const SessionFacts = ({
  cycle: { timezone },
  day,
  session,
}: {
  readonly cycle: Cycle;
  readonly day: SlotDay;
  readonly session: NonNullable<SlotDay["session"]>;
}) => {
  const seconds = (Date.parse(session.endedAt) - Date.parse(session.startedAt)) / 1_000;
  return (
    <section class="stack tight">
      <h3>{day.countedBy === "session" ? "The session that counted" : "The longest session"}</h3>
      <dl class="pairs">
        <dt>From</dt>
        <dd>
          <ZonedTime at={session.startedAt} timezone={timezone} />
        </dd>
        <dt>Length</dt>
        <dd>{`${lengthOfTime(seconds)}, until ${zonedClock(session.endedAt, timezone)}`}</dd>
        <dt>Screens</dt>
        <dd>
          <Screens names={session.screens} />
        </dd>
        <dt>App version</dt>
        <dd>{session.appVersion === null ? "Not reported" : <Line text={session.appVersion} />}</dd>
        <dt>Received</dt>
        <dd>
          <ZonedTime at={session.receivedAt} timezone={timezone} />
        </dd>
        <dt>Sessions</dt>
        <dd>{`${day.sessions} reported for this day`}</dd>
      </dl>
    </section>
  );
};

const Screens = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? (
    <>None</>
  ) : (
    <ul class="names">
      {names.map((name) => (
        <li key={name}>
          <Line text={name} />
        </li>
      ))}
    </ul>
  );

const ProofFacts = ({
  cycle: { timezone },
  proof,
  uploads,
}: {
  readonly cycle: Cycle;
  readonly proof: NonNullable<SlotDay["proof"]>;
  readonly uploads: string;
}) => {
  const images = proof.images.filter((address) => address.startsWith(uploads));
  return (
    <section class="stack tight">
      <h3>The proof</h3>
      <dl class="pairs">
        <dt>Captured</dt>
        <dd>
          <ZonedTime at={proof.capturedAt} timezone={timezone} />
        </dd>
        {proof.queuedAt !== null && (
          <>
            <dt>Queued</dt>
            <dd>
              <ZonedTime at={proof.queuedAt} timezone={timezone} />
            </dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <ZonedTime at={proof.receivedAt} timezone={timezone} />
        </dd>
      </dl>
      {proof.note !== null && <UserText text={proof.note} />}
      <ul class="files" aria-label="Images of the proof">
        {images.map((address, at) => (
          <li key={address}>
            <Picture url={address} alt={`Proof, ${at + 1} of ${images.length}`} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The symbol in a cell of the grid. The symbols differ in their shapes, not only in their colours. */
type SlotDayMark = "session" | "proof" | "missed" | "open" | "ahead" | "none";

const markOf = ({ state, countedBy }: Pick<SlotDay, "state" | "countedBy">): SlotDayMark =>
  state === "counted" ? (countedBy ?? "session") : state;

const markWords: Record<SlotDayMark, string> = {
  session: "counted by a session",
  proof: "counted by a proof",
  missed: "missed",
  open: "open today",
  ahead: "not begun yet",
  none: "slot not active",
};

const markOrder: readonly SlotDayMark[] = ["session", "proof", "missed", "open", "ahead", "none"];

/** Shows a symbol. The text next to the symbol says what it means. */
const Mark = ({ mark }: { readonly mark: SlotDayMark }) => (
  <span class={`mark ${mark}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8">
      <path d={shapes[mark]} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  </span>
);

const shapes: Record<SlotDayMark, string> = {
  session: "M3.5 8.6l3 3 6-7",
  proof: "M2.5 5.5h2.7l1-1.7h3.6l1 1.7h2.7v7h-11zM8 7.2a1.9 1.9 0 1 1 0 3.8a1.9 1.9 0 1 1 0-3.8",
  missed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  open: "M8 3.8a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 1 1 0-8.4M8 6v2.2l1.4 1",
  ahead: "M8 8h.01",
  none: "M5.5 8h5",
};

/** Explains the symbols in the grid. */
const Legend = () => (
  <ul class="legend" aria-label="What the symbols mean">
    {markOrder.map((mark) => (
      <li key={mark}>
        <Mark mark={mark} />
        {markWords[mark]}
      </li>
    ))}
  </ul>
);

const { seconds, screens } = qualifyingSession;

/** A sentence for each reason why a session did not make its day count. (rule T17) */
export const reasonSentences: Record<SessionReason, string> = {
  cycle_not_running:
    "The session arrived before the test started or after the test ended, or it began after the last day.",
  slot_not_active: "The slot was no longer active when the session arrived.",
  session_in_future: "According to the server’s clock, the session began in the future.",
  session_stale:
    "The server cannot confirm the day of the session, because the session arrived more than a day late or began before the slot was active.",
  already_submitted: "The day was already counted.",
  session_below_bar: `The session was shorter than ${seconds} seconds or reached fewer than ${screens} screens.`,
};

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(reasonSentences));

/** Returns the sentence for a reason; the reason itself if there is no sentence for it. */
const reasonSentence = (reason: string): string => sentences.get(reason) ?? `${reason}.`;

/** The text for each state of a tester, from the most urgent to the least urgent. */
const attentionNames: Readonly<Record<TesterAttention["state"], string>> = {
  removal_due: "Removal after today",
  one_miss_left: "Removal after 1 more missed day",
  missed_yesterday: "Missed yesterday",
  today_open: "Open today",
  active: "Active",
};
