import type { Cycle, CycleStatus, JudgedCycle, SlotStatus } from "../../../src/contract/cycles.ts";
import type { CycleVerdict } from "../../../src/contract/standing.ts";
import { countOf } from "../../../src/words/phrases.ts";
import type { Links } from "../../console/links.ts";
import type { SlotRequest, TestBelow } from "../../console/page-reads.ts";
import { Line } from "../../console/parts.tsx";
import { InTurns } from "../../console/respond.tsx";
import { Remaining, ZonedDay } from "../../console/times.tsx";

/** A cycle in a list: its start, progress, verdict and number of requests. */
export const CycleLine = ({
  cycle,
  links,
  requests,
}: {
  readonly cycle: JudgedCycle;
  readonly links: Links;
  /** The requests for slots of this cycle, and maybe of other cycles. */
  readonly requests: readonly SlotRequest[];
}) => {
  const asked = requests.filter(({ cycleId }) => cycleId === cycle.id).length;
  return (
    <li>
      <div class="row spread">
        <a class="to" href={links.cycle(cycle.appId, cycle.id)}>
          Cycle from <ZonedDay at={cycle.startsAt} timezone={cycle.timezone} />
        </a>
        <span class="row">
          {asked > 0 && <span class="badge attention">{countOf(asked, "request")}</span>}
          <CycleBadge status={cycle.status} />
        </span>
      </div>
      <p class="under">
        <span>{progressOf(cycle)}</span>
        <span>{cycle.timezone}</span>
      </p>
      <p class={`says ${verdictKinds[cycle.verdict.state]}`}>{cycle.verdict.text}</p>
    </li>
  );
};

/** Returns the progress of a cycle as text, such as `Day 9 of 14`. */
export function progressOf({ status, dayIndex, durationDays }: Cycle): string {
  if (status === "recruiting") return `${countOf(durationDays, "day")}, not started`;
  if (status === "completed") return countOf(durationDays, "day");
  return `Day ${dayIndex} of ${durationDays}`;
}

/** Whether a cycle is planned or running. */
export const isLive = ({ status }: Pick<Cycle, "status">): boolean =>
  status === "recruiting" || status === "running";

/** The CSS class for each state of a verdict. */
export const verdictKinds: Readonly<Record<CycleVerdict["state"], "" | "good" | "attention" | "bad">> = {
  not_started: "",
  on_track: "good",
  at_risk: "attention",
  out_of_reach: "bad",
  reached: "good",
  not_reached: "bad",
  cancelled: "",
};

const cycleNames: Record<CycleStatus, readonly [name: string, kind: string]> = {
  recruiting: ["Recruiting", "badge"],
  running: ["Running", "badge good"],
  completed: ["Completed", "badge"],
  cancelled: ["Cancelled", "badge bad"],
};

export const CycleBadge = ({ status }: { readonly status: CycleStatus }) => {
  const [name, kind] = cycleNames[status];
  return <span class={kind}>{name}</span>;
};

export const slotNames: Record<SlotStatus, string> = {
  open: "Open",
  requested: "Requested",
  active: "Active",
  at_risk: "At risk",
  completed: "Completed",
  removed: "Removed",
};

const slotKinds: Partial<Record<SlotStatus, string>> = {
  requested: "badge attention",
  active: "badge good",
  at_risk: "badge bad",
};

export const SlotBadge = ({ status }: { readonly status: SlotStatus }) => (
  <span class={slotKinds[status] ?? "badge"}>{slotNames[status]}</span>
);

/**
 * Lists requests for slots. Each line links to the page of the cycle, where a maintainer answers the request.
 */
export const SlotRequestLines = ({
  rows,
  links,
  now,
}: {
  readonly rows: readonly SlotRequest[];
  readonly links: Links;
  readonly now: Date;
}) => (
  <ol class="list linked">
    <InTurns>
      {rows.map((row) => (
        <li key={row.slotId}>
          <div class="row spread">
            <a class="to" href={`${links.cycle(row.appId, row.cycleId)}#requests`}>
              <Line text={row.email} />
            </a>
            <span class="badge attention">Requested</span>
          </div>
          <p class="under">
            <span>
              <Line text={row.listingName} />
            </span>
            <span>{`Slot ${row.seat}`}</span>
            <span>
              expires <Remaining at={row.requestExpiresAt} now={now} />
            </span>
          </p>
        </li>
      ))}
    </InTurns>
  </ol>
);

/** Lists running tests that might miss their goal. Each line links to the page of the cycle. */
export const TestBelowLines = ({
  rows,
  links,
}: {
  readonly rows: readonly TestBelow[];
  readonly links: Links;
}) => (
  <ol class="list linked">
    <InTurns>
      {rows.map(({ appId, cycleId, listingName, dayIndex, durationDays, verdict }) => (
        <li key={cycleId}>
          <div class="row spread">
            <a class="to" href={links.cycle(appId, cycleId)}>
              <Line text={listingName} />
            </a>
            <span class={`badge ${verdictKinds[verdict.state]}`}>
              {verdict.state === "at_risk" ? "At risk" : "Out of reach"}
            </span>
          </div>
          <p class="under">
            <span>{`Day ${dayIndex} of ${durationDays}`}</span>
            <span>{verdict.text}</span>
          </p>
        </li>
      ))}
    </InTurns>
  </ol>
);
