import type { Cycle, CycleStatus, SlotStatus } from "../../../src/contract/cycles.ts";
import { InTurns } from "../../console/in-turns.tsx";
import type { Links } from "../../console/links.ts";
import type { SlotRequest } from "../../console/page-reads.ts";
import { Line } from "../../console/parts.tsx";
import { Remaining, ZonedDay } from "../../console/times.tsx";

/** Shows a cycle in a list: its start, its progress, and the number of requests for its slots. */
export const CycleLine = ({
  cycle,
  links,
  requests,
}: {
  readonly cycle: Cycle;
  readonly links: Links;
  /** The requests for slots. They may include requests for slots of other cycles. */
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
          {asked > 0 && (
            <span class="badge attention">{asked === 1 ? "1 request" : `${asked} requests`}</span>
          )}
          <CycleBadge status={cycle.status} />
        </span>
      </div>
      <p class="under">
        <span>{progressOf(cycle)}</span>
        <span>{cycle.timezone}</span>
      </p>
    </li>
  );
};

/** Returns the progress of a cycle as text, such as `Day 9 of 14`. */
export function progressOf({ status, dayIndex, durationDays }: Cycle): string {
  if (status === "recruiting") return `${durationDays} days, not started`;
  if (status === "completed") return `${durationDays} days`;
  return `Day ${dayIndex} of ${durationDays}`;
}

/** Whether a cycle is not over. */
export const isLive = ({ status }: Pick<Cycle, "status">): boolean =>
  status === "recruiting" || status === "running";

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
 * Lists the testers who ask for a slot, in any cycle. Each line links to the page of the cycle, on which the owner
 * answers the request.
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
            <span class="badge attention">Asks for a slot</span>
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
