import type { ComponentChildren } from "preact";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { calendarDate } from "../../../src/contract/fields.ts";
import { limits } from "../../../src/contract/limits.ts";
import { timeZone } from "../../../src/contract/sign-in.ts";
import { type DayNumbers, type Statistics, statistics } from "../../../src/contract/statistics.ts";
import {
  csvOf,
  dayColumns,
  leastOfPercentile,
  shareOf,
  slowReplies,
  totalsOf,
  waitText,
} from "../../../src/contract/statistics-text.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../console/definitions.ts";
import { filledWith, Select, TextField } from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { counted, Line, scrolledByKeys } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/respond.tsx";
import { dayText, fullTime } from "../../console/times.tsx";
import { filterWith, listQuery } from "../inbox/filters.ts";
import {
  agesAt,
  areOfLastDay,
  daysOf,
  instantOf,
  lengthOf,
  type Period,
  periodBefore,
  periodOf,
} from "./rules.ts";

/** The lengths of the periods that the page offers, in days. */
const lengths = [7, 30, 90];

/** The number of days in a sparkline, which is a small chart in a table row. */
const sparkDays = 14;

async function showNumbers(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "numbers");
  const profile = await visit.reads.timezone();
  const usual = periodOf({ zone: profile }, visit.now);
  try {
    return await showPeriod(visit, { navigation, profile, period: wantedPeriod(visit, profile) });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "bad_request") throw error;
    return showPeriod(visit, { navigation, profile, period: usual, refusal: error });
  }
}

/** Returns the period in the address of the page. Throws `bad_request` for a wrong time zone or date. */
function wantedPeriod({ now, query }: SignedInVisit, profile: string): Period {
  const given = query("zone") || profile;
  if (!timeZone.safeParse(given).success)
    throw badRequest("zone", "must be an IANA time zone such as Europe/London");
  const usual = periodOf({ zone: given }, now);
  const days = lengths.find((length) => length === Number(query("days")));
  if (days !== undefined) return { ...usual, from: dayBefore(usual.to, days - 1) };
  for (const name of ["from", "to"] as const)
    if (query(name) !== "" && !calendarDate.safeParse(query(name)).success)
      throw badRequest(name, "must be a date, YYYY-MM-DD");
  return { ...usual, from: query("from") || usual.from, to: query("to") || usual.to };
}

async function showPeriod(
  { ask, now, query }: SignedInVisit,
  {
    navigation,
    profile,
    period,
    refusal,
  }: Pick<Shown, "navigation" | "profile" | "refusal"> & { readonly period: Period },
): Promise<Reply> {
  const params = { appId: navigation.app.id };
  const [present, before] = await Promise.all([
    ask(statistics.read, { params, query: { ...period } }),
    ask(statistics.read, { params, query: { ...periodBefore(period) } }),
  ]);
  return show(
    <ConsolePage navigation={navigation} title="Numbers">
      <Numbers
        {...{ navigation, present, before, profile, now, refusal }}
        length={lengthOf(period)}
        isOwn={query("from") !== ""}
      />
    </ConsolePage>,
    refusal?.status,
  );
}

const dayBefore = (day: string, days: number): string =>
  periodBefore({ from: day, to: day, zone: "UTC" }, days).to;

interface Shown {
  readonly navigation: AppNavigation;
  readonly present: Statistics;
  /** The statistics of the previous period, which has the same length. */
  readonly before: Statistics;
  readonly now: Date;
  /** The time zone of the person's profile. */
  readonly profile: string;
  readonly length: number;
  /** Whether the person typed the days of the period in the form. */
  readonly isOwn: boolean;
  /** The error in the chosen period. After an error, the page shows the default period. */
  readonly refusal?: ApiError | undefined;
}

/** Returns the address of the inbox with these filters. */
type Inbox = (filters: Parameters<typeof filterWith>[0]) => string;

const Numbers = ({ navigation, present, before, profile, now, length, isOwn, refusal }: Shown) => {
  const { app, links } = navigation;
  const inbox: Inbox = (filters) => `${links.inbox(app.id)}?${listQuery(filterWith(filters))}`;
  return (
    <div class="numbers">
      <div class="head">
        <div>
          <h1>Numbers</h1>
          <p>{`${dayText(present.from)} to ${dayText(present.to)}, time zone ${present.zone}`}</p>
        </div>
        <div class="row">
          <nav class="pills" aria-label="Period">
            {lengths.map((days) => (
              <a
                key={days}
                href={`${links.numbers(app.id)}?${new URLSearchParams({ days: String(days), zone: present.zone })}`}
                aria-current={!isOwn && days === length ? "page" : undefined}
              >
                {`${days} days`}
              </a>
            ))}
          </nav>
          <a
            class="button"
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(present))}`}
            download={`numbers-${present.from}-${present.to}.csv`}
          >
            CSV
          </a>
        </div>
      </div>
      <OwnPeriod {...{ present, profile, isOwn, refusal }} action={links.numbers(app.id)} />
      <Figures {...{ present, before, length, now }} />
      <p class="muted small">
        {`Besides the new threads, ${repeatsText(present)} came in. The report of a merged thread counts as repeated, too. `}
        “Answered within 24&nbsp;h” is the share of all new threads of the period. New threads that arrived
        less than 24&nbsp;hours ago count, too. They can still get a reply in time.
      </p>
      <div class="two">
        <PerDay present={present} at={listsOfDays(present, inbox)} />
        <div class="card stack">
          <OpenByAge open={present.openByAge} inbox={inbox} now={now} />
          <FirstReply present={present} />
        </div>
      </div>
      <div class="three">
        <Top present={present} threadAt={(id) => links.thread(app.id, id)} />
        <Agents present={present} />
        <Versions present={present} inbox={inbox} />
      </div>
    </div>
  );
};

const repeatsText = (present: Statistics): string =>
  counted(totalsOf(present).repeats, "repeated report", "repeated reports");

const OwnPeriod = ({
  present: { from, to, zone },
  profile,
  isOwn,
  refusal,
  action,
}: Pick<Shown, "present" | "profile" | "isOwn" | "refusal"> & { readonly action: string }) => {
  const form = { ...filledWith({ from, to, zone }), refusal };
  const zones = [...new Set([zone, profile, "UTC"])];
  return (
    <details class="reveal" open={isOwn || refusal !== undefined}>
      <summary>Other days</summary>
      <form class="row period" method="get" action={action}>
        <TextField form={form} name="from" label="From" type="date" required unkept />
        <TextField form={form} name="to" label="To" type="date" required unkept />
        <Select
          form={form}
          name="zone"
          label="Time zone"
          options={zones.map((name) => [name, name] as const)}
          ownZone
        />
        <button type="submit">Show</button>
      </form>
      <p class="muted small">{`At most ${limits.statistics.days} days.`}</p>
    </details>
  );
};

const Figures = ({
  present,
  before,
  length,
  now: at,
}: Pick<Shown, "present" | "before" | "length" | "now">) => {
  const [now, then] = [totalsOf(present), totalsOf(before)];
  const inADay = present.firstReply.within["24h"];
  const answered = shareOf(inADay, now.reports);
  const answeredBefore = shareOf(before.firstReply.within["24h"], then.reports);
  const open = present.openByAge["30d"] + present.openByAge.older;
  return (
    <dl class="figures">
      <Figure name="New threads" value={String(now.reports)}>
        {changeText(now.reports, then.reports, length)}
      </Figure>
      <Figure name="Resolved" value={String(now.resolved)}>
        {changeText(now.resolved, then.resolved, length)}
      </Figure>
      <Figure
        name="First reply, median"
        value={present.firstReply.median === null ? "–" : waitText(present.firstReply.median)}
      >
        {waitChange(present.firstReply.median, before.firstReply.median)}
      </Figure>
      <Figure name={"Answered within 24\u00a0h"} value={answered === undefined ? "–" : `${answered} %`}>
        {answered === undefined
          ? "fewer than 5 new threads"
          : inADay < now.reports && areOfLastDay(present, at)
            ? "the other reports can still get a reply in time"
            : answeredBefore === undefined
              ? "nothing to compare with"
              : pointsText(answered - answeredBefore)}
      </Figure>
      <Figure name="Open over 7 days" value={openText(open)}>
        now
      </Figure>
    </dl>
  );
};

const Figure = ({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: string;
  readonly children: ComponentChildren;
}) => (
  <div class="card">
    <dt>{name}</dt>
    <dd class="value">{value}</dd>
    <dd class="muted small">{children}</dd>
  </div>
);

/** Compares a number with the number of the previous period, such as `+20 % compared with the 7 days before`. */
function changeText(now: number, then: number, length: number): string {
  const before = length === 1 ? "the day before" : `the ${length} days before`;
  if (then < 5) return `${then} in ${before}`;
  const change = Math.round((100 * (now - then)) / then);
  return change === 0
    ? `as in ${before}`
    : `${change > 0 ? "+" : "−"}${Math.abs(change)} % compared with ${before}`;
}

function waitChange(now: number | null, then: number | null): string {
  if (now === null) return "no replies";
  if (then === null) return "nothing to compare with";
  if (Math.abs(now - then) < 60_000) return "as before";
  return `${waitText(Math.abs(now - then))} ${now < then ? "faster" : "slower"}`;
}

const pointsText = (points: number): string =>
  points === 0 ? "as before" : `${points > 0 ? "+" : "−"}${counted(Math.abs(points), "point", "points")}`;

const openText = (count: number): string =>
  count >= limits.statistics.open ? `${limits.statistics.open.toLocaleString("en")}+` : String(count);

const types = ["bug", "feature", "question", "general"] as const;

const PerDay = ({ present, at }: { readonly present: Statistics } & Pick<DayChartProps, "at">) => (
  <section class="card stack" aria-labelledby="per-day">
    <h2 id="per-day">New threads per day</h2>
    <p class="legend small muted">
      {types.map((type) => (
        <span key={type}>
          <i class={`mark ${type}`} />
          {` ${type}`}
        </span>
      ))}
      <span>
        <i class="mark resolved" />
        {" resolved"}
      </span>
    </p>
    <DayChart days={present.perDay} at={at} />
    <div class="row spread small muted">
      <span>{dayText(present.from)}</span>
      <span>{dayText(present.to)}</span>
    </div>
    <details class="reveal">
      <summary>As a table</summary>
      <div class="scroll" {...scrolledByKeys}>
        <table>
          <caption class="unseen">New threads per day</caption>
          <thead>
            <tr>
              {dayColumns.map(([name]) => (
                <th key={name} scope="col" class={name === "day" ? undefined : "figure"}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {present.perDay.map((one) => (
              <tr key={one.day}>
                <th scope="row">
                  <a href={at(one.day)}>{dayText(one.day)}</a>
                </th>
                {dayColumns.slice(1).map(([name, read]) => (
                  <td key={name} class="figure">
                    {read(one)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  </section>
);

/** Returns a function that takes a day and returns the address of the list of threads of this day. */
function listsOfDays(present: Statistics, inbox: Inbox): DayChartProps["at"] {
  const addresses = new Map(
    daysOf(present).map(({ day, from, to }) => [
      day,
      inbox({ from: instantOf(from), to: instantOf(to), order: "created" }),
    ]),
  );
  return (day) => addresses.get(day);
}

interface Measured {
  readonly name: string;
  readonly count: number;
  /** The text next to the bar. The default is `count`. */
  readonly text?: string;
  readonly href?: string | undefined;
  readonly tone?: "attention" | "danger" | undefined;
}

const BarTable = ({
  caption,
  rows,
  whole,
}: {
  readonly caption: string;
  readonly rows: readonly Measured[];
  /** The number for which the bar has its full length. The default is the greatest count of the rows. */
  readonly whole?: number;
}) => {
  const most = Math.max(1, whole ?? Math.max(...rows.map(({ count }) => count)));
  return (
    <table class="bars">
      <caption class="unseen">{caption}</caption>
      <tbody>
        {rows.map(({ name, count, text, href, tone }) => (
          <tr key={name}>
            <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
            <td class="drawn">
              <Bar share={count / most} tone={tone} />
            </td>
            <td class="figure">{text ?? count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const OpenByAge = ({
  open,
  inbox,
  now,
}: {
  readonly open: Statistics["openByAge"];
  readonly inbox: Inbox;
  readonly now: Date;
}) => {
  const [day, week, month, older] = agesAt(now).map(({ from, to }, at) =>
    // `to` is empty for the youngest group, because this group has no end.
    inbox({ unfinished: "true", from, to: at === 0 ? "" : to }),
  );
  const row = (name: string, count: number, href: string | undefined): Measured => ({
    ...{ name, count, text: openText(count), href },
  });
  return (
    <section class="stack" aria-labelledby="open-by-age">
      <h2 id="open-by-age">Open now, by age</h2>
      <BarTable
        caption="Open threads by age"
        rows={[
          row("under 1 day", open["1d"], day),
          row("1 to 7 days", open["7d"], week),
          { ...row("8 to 30 days", open["30d"], month), tone: "attention" },
          { ...row("older", open.older, older), tone: "danger" },
        ]}
      />
    </section>
  );
};

const FirstReply = ({ present }: { readonly present: Statistics }) => {
  const { firstReply } = present;
  const { reports } = totalsOf(present);
  const row = (name: string, count: number, tone?: Measured["tone"]): Measured => {
    const share = shareOf(count, reports);
    return { name, count, text: share === undefined ? String(count) : `${share} %`, tone };
  };
  return (
    <section class="stack" aria-labelledby="first-reply">
      <h2 id="first-reply">First reply</h2>
      <BarTable
        caption="First replies"
        whole={reports}
        rows={[
          row("within 1 h", firstReply.within["1h"]),
          row("within 8 h", firstReply.within["8h"]),
          row("within 24 h", firstReply.within["24h"]),
          row("within 3 days", firstReply.within["3d"]),
          row("no reply", firstReply.none, "danger"),
        ]}
      />
      <p class="muted small">{slowRepliesText(present)}</p>
    </section>
  );
};

function slowRepliesText(present: Statistics): string {
  const { count, p90 } = slowReplies(present);
  if (present.firstReply.p90 === null) return "No new thread of this period has a reply.";
  return p90 === undefined
    ? `9 of 10 first replies came within: – (only shown with at least ${leastOfPercentile} first replies, this period has ${count}). The median is an estimate. Nights and weekends are included.`
    : `9 of 10 first replies came within ${waitText(p90)}. This time and the median are estimates. Nights and weekends are included.`;
}

const Top = ({
  present: { top },
  threadAt,
}: {
  readonly present: Statistics;
  readonly threadAt: (id: string) => string;
}) => (
  <section class="card stack" aria-labelledby="top">
    <h2 id="top">Reported most often</h2>
    {top.length === 0 ? (
      <p class="muted small">No thread was reported again.</p>
    ) : (
      <table class="bars of-threads">
        <caption class="unseen">The threads that were reported most often</caption>
        <tbody>
          {top.map(({ id, number, subject, count, days }) => (
            <tr key={id}>
              <th scope="row">
                <a href={threadAt(id)}>
                  <Line text={subject} />
                </a>
              </th>
              <td class="figure">{`×${count}`}</td>
              <td class="drawn spark">
                <Sparkline counts={days.slice(-sparkDays)} />
              </td>
              <td class="figure muted">{number !== null && `#${number}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

const Agents = ({ present: { agents } }: { readonly present: Statistics }) => {
  const of = (count: number, all: number): string => {
    const share = shareOf(count, all);
    return share === undefined ? String(count) : `${count} · ${share} %`;
  };
  return (
    <section class="card stack" aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      <BarTable
        caption="Results of proposals"
        rows={[
          { name: "proposed", count: agents.proposed },
          { name: "approved", count: agents.approved, text: of(agents.approved, agents.proposed) },
          { name: "claimed", count: agents.claimed, text: of(agents.claimed, agents.approved) },
          { name: "succeeded", count: agents.succeeded, text: of(agents.succeeded, agents.claimed) },
          { name: "failed", count: agents.failed, tone: "danger" },
        ]}
      />
      <p class="muted small">
        {`${agents.rejected} rejected, ${agents.changed} with changes requested, ${agents.expired} expired.`}
        {agents.medianDecisionMs !== null &&
          ` Median wait for a decision: about ${waitText(agents.medianDecisionMs)}.`}
        {" The bars show the counts. Each percentage is of the row above."}
      </p>
    </section>
  );
};

const Versions = ({ present, inbox }: { readonly present: Statistics; readonly inbox: Inbox }) => {
  const shown = present.versions.flatMap(({ version, reports, bugs }) => {
    const share = shareOf(bugs, reports);
    return share === undefined ? [] : [{ version, reports, share }];
  });
  return (
    <section class="card stack" aria-labelledby="versions">
      <h2 id="versions">Bugs by app version</h2>
      {shown.length === 0 ? (
        <p class="muted small">
          No version has five reports. The version of a report is the field <code>appVersion</code> in its
          metadata.
        </p>
      ) : (
        <>
          <BarTable
            caption="Bugs by app version"
            whole={100}
            rows={shown.map(({ version, reports, share }) => ({
              name: version,
              count: share,
              text: `${share} of 100`,
              href: inbox({ q: `type:bug "${version}"` }),
              tone: share >= 75 && reports >= 5 ? "attention" : undefined,
            }))}
          />
          <p class="muted small">
            Bugs per 100 reports of the version. Versions with fewer than 5 reports are not shown.
          </p>
        </>
      )}
    </section>
  );
};

const height = 150;

const slot = 20;

const bar = 15;

interface DayChartProps {
  readonly days: readonly DayNumbers[];
  /** Returns the address of the list with the threads of a day. */
  readonly at: (day: string) => string | undefined;
}

/** A chart of the reports per day by type. Screen readers read the table below instead. */
const DayChart = ({ days, at }: DayChartProps) => {
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

/** The drawing of the chart. It has no numbers, because the page stretches it. */
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

/** Returns a round and even number that is at least `most`. */
const niceTop = (most: number): number => {
  const step = 10 ** Math.floor(Math.log10(most));
  return Math.max(2, [1, 2, 4, 6, 8, 10].map((factor) => factor * step).find((top) => top >= most) ?? most);
};

/** A horizontal bar. `share` is its length, from 0 to 1. */
const Bar = ({
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
      width={100 * Math.min(1, Math.max(0, share))}
      height="8"
      rx="1"
    />
  </svg>
);

const Sparkline = ({ counts }: { readonly counts: readonly number[] }) => {
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

export const definitions: Definitions = [
  definePage({ at: (links) => links.numbers(":appId"), needs: "viewer", show: showNumbers }),
];
