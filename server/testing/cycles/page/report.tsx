import { type CycleReport, cycles } from "../../../../src/contract/cycles.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../../console/definitions.ts";
import { Document } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { Line, scrolledByKeys } from "../../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../../console/respond.tsx";
import {
  dateOfDay,
  justBefore,
  lengthOfTime,
  ZonedDate,
  ZonedDay,
  ZonedTime,
  zonedDay,
} from "../../../console/times.tsx";
import { CycleBadge, progressOf, SlotBadge } from "../parts.tsx";

/** Shows the report of a cycle for print. It contains no names or addresses of testers or accounts. */
async function showReport(visit: SignedInVisit): Promise<Reply> {
  const { ask, links, now, param } = visit;
  const report = await ask(cycles.report, { params: { cycleId: param("cycleId") } });
  if (report.cycle.appId !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return show(<ReportPage report={report} links={links} now={now} />);
}

interface ReportPageProps {
  readonly report: CycleReport;
  readonly links: Links;
  readonly now: Date;
}

const ReportPage = ({ report, links, now }: ReportPageProps) => {
  const { cycle, appName, packageName } = report;
  return (
    <Document links={links} title={`Report · ${appName}`}>
      <main class="paper stack wide" id="main" tabIndex={-1}>
        <div class="row spread unprinted">
          <a class="back" href={links.cycle(cycle.appId, cycle.id)}>
            <span aria-hidden="true">←</span> Back to the cycle
          </a>
          <button class="small" type="button" data-prints hidden>
            Print
          </button>
        </div>
        <header class="stack tight">
          <p class="muted">Report of a closed test</p>
          <div class="row">
            <h1>
              <Line text={appName} />
            </h1>
            <CycleBadge status={cycle.status} />
          </div>
          <p class="muted">
            <code>{packageName}</code>
          </p>
        </header>
        <Figures report={report} />
        <section class="stack tight" aria-labelledby="says">
          <h2 id="says">What this report says</h2>
          <p class="claim">{report.statement}</p>
        </section>
        <section class="stack" aria-labelledby="per-day">
          <h2 id="per-day">Testers per day</h2>
          <TestersPerDay report={report} />
        </section>
        <section class="stack" aria-labelledby="slots">
          <h2 id="slots">Slots</h2>
          <section class="scroll" aria-label="Slots, a wide table" {...scrolledByKeys}>
            <CycleReportSlots report={report} />
          </section>
        </section>
        <footer class="muted small">
          Created by Innkeep on <ZonedTime at={now.toISOString()} timezone={cycle.timezone} />. Days and times
          are in the time zone {cycle.timezone}.
        </footer>
      </main>
    </Document>
  );
};

interface CycleReportProps {
  readonly report: CycleReport;
}

const Figures = ({ report }: CycleReportProps) => {
  const { cycle, testers, finishedDays } = report;
  const isUnderWay = cycle.status === "running" && finishedDays < cycle.durationDays;
  return (
    <dl class="facts">
      <div>
        <dt>Length</dt>
        <dd>{progressOf(cycle)}</dd>
      </div>
      <div>
        <dt>First day</dt>
        <dd>
          <ZonedDay at={cycle.startsAt} timezone={cycle.timezone} />
        </dd>
      </div>
      <div>
        <dt>Last day</dt>
        <dd>
          <ZonedDay at={justBefore(cycle.endsAt)} timezone={cycle.timezone} />
        </dd>
      </div>
      <div>
        <dt>Testers</dt>
        <dd>{testers}</dd>
      </div>
      <div>
        <dt>{isUnderWay ? "Testers with every day counted so far" : "Testers with all days counted"}</dt>
        <dd>{isUnderWay ? report.testersWithEveryFinishedDay : report.testersWithEveryDay}</dd>
      </div>
    </dl>
  );
};

/** Shows how many testers have each day counted, as a bar and as a number. */
const TestersPerDay = ({ report: { cycle, seats, testersPerDay, finishedDays } }: CycleReportProps) => {
  /** Whether a day has begun and is not over. Such a day can still be counted for more testers. */
  const isToday = (dayIndex: number) => cycle.status === "running" && dayIndex === finishedDays + 1;
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
                  <rect
                    class={isToday(dayIndex) ? "filled today" : "filled"}
                    width={(100 * testers) / most}
                    height="8"
                    rx="1"
                  />
                </svg>
              </td>
              <td class="figure">
                {dayIndex > cycle.dayIndex ? "–" : testers}
                {isToday(dayIndex) && <span class="muted"> so far</span>}
              </td>
            </tr>
          ))}
        </InTurns>
      </tbody>
    </table>
  );
};

/** Lists the slots of a cycle by their numbers, without the names of the testers. */
const CycleReportSlots = ({ report: { cycle, seats } }: CycleReportProps) => (
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

const cycleReportPage = definePage({
  at: (links) => links.cycle(":appId", ":cycleId", "report"),
  needs: "viewer",
  show: showReport,
});

export const definitions: Definitions = [cycleReportPage];
