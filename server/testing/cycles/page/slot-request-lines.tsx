import { InTurns } from "../../../console/in-turns.tsx";
import type { Links } from "../../../console/links.ts";
import type { SlotRequest } from "../../../console/page-reads.ts";
import { Line } from "../../../console/text.tsx";
import { Remaining } from "../../../console/timestamp.tsx";

export interface SlotRequestLinesProps {
  readonly rows: readonly SlotRequest[];
  readonly links: Links;
  readonly now: Date;
}

/** The testers who ask for a slot, in any cycle. Each line links to the cycle, where the request is answered. */
export const SlotRequestLines = ({ rows, links, now }: SlotRequestLinesProps) => (
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
