import type { SlotWithDays } from "../../../../src/contract/cycles.ts";
import { Can } from "../../../console/can.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { InTurns } from "../../../console/in-turns.tsx";
import { Line } from "../../../console/text.tsx";
import { Remaining } from "../../../console/timestamp.tsx";

export interface SlotRequestsProps {
  readonly slots: readonly SlotWithDays[];
  readonly now: Date;
  /** The address of an action on a slot. */
  readonly at: (slotId: string, action: string) => string;
}

/** The testers who ask for a slot in this cycle, each with buttons that accept or decline the request. */
export const SlotRequests = ({ slots, now, at }: SlotRequestsProps) => (
  <section class="proposal awaiting" aria-labelledby="requests-title">
    <header>
      <h2 id="requests-title">{slots.length === 1 ? "A tester asks for a slot" : "Testers ask for slots"}</h2>
      <span class="badge attention">{slots.length === 1 ? "1 request" : `${slots.length} requests`}</span>
    </header>
    <ul class="requests">
      <InTurns>
        {slots.map((slot) => (
          <li class="row spread" key={slot.slotId}>
            <div>
              <b>
                <Line text={slot.tester?.email ?? ""} />
              </b>
              <p class="muted small">
                {`Slot ${slot.seat}`}
                {slot.requestExpiresAt !== null && (
                  <>
                    {" · expires "}
                    <Remaining at={slot.requestExpiresAt} now={now} />
                  </>
                )}
              </p>
            </div>
            <Can needs="maintainer">
              <AnswerForms slot={slot} at={(action) => at(slot.slotId, action)} />
            </Can>
          </li>
        ))}
      </InTurns>
    </ul>
  </section>
);

export interface AnswerFormsProps {
  readonly slot: SlotWithDays;
  readonly at: (action: string) => string;
}

export const AnswerForms = ({ slot: { tester, seat }, at }: AnswerFormsProps) => {
  const whose = <span class="unseen">{` ${tester?.email ?? ""} for slot ${seat}`}</span>;
  return (
    <div class="actions">
      <form method="post" action={at("accept")}>
        <IdempotencyField />
        <button class="primary small" type="submit">
          Accept{whose}
        </button>
      </form>
      <form method="post" action={at("decline")}>
        <IdempotencyField />
        <button class="small" type="submit">
          Decline{whose}
        </button>
      </form>
    </div>
  );
};
