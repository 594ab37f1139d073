import type { Cycle } from "../../../../src/contract/console/cycles.ts";
import { ZonedDay } from "../../kit/display/zoned-timestamp.tsx";
import type { Links } from "../../links.ts";
import { CycleBadge } from "./cycle-badges.tsx";

export interface CycleLineProps {
  readonly cycle: Cycle;
  readonly links: Links;
  /** How many testers ask for a seat of it. */
  readonly asked: number;
}

/** A run in a list: when, how far, and what waits in it. */
export const CycleLine = ({ cycle, links, asked }: CycleLineProps) => (
  <li>
    <div class="row spread">
      <a class="to" href={links.cycle(cycle.appId, cycle.id)}>
        Run from <ZonedDay at={cycle.startsAt} timezone={cycle.timezone} />
      </a>
      <span class="row">
        {asked > 0 && <span class="badge attention">{asked === 1 ? "1 request" : `${asked} requests`}</span>}
        <CycleBadge status={cycle.status} />
      </span>
    </div>
    <p class="under">
      <span>{progressOf(cycle)}</span>
      <span>{cycle.timezone}</span>
    </p>
  </li>
);

/** `Day 9 of 14`, or what stands in its place. */
export function progressOf({ status, dayIndex, durationDays }: Cycle): string {
  if (status === "recruiting") return `${durationDays} days, not begun`;
  if (status === "completed") return `${durationDays} days`;
  return `Day ${dayIndex} of ${durationDays}`;
}

/** Whether a run is not over. */
export const isLive = ({ status }: Pick<Cycle, "status">): boolean =>
  status === "recruiting" || status === "running";
