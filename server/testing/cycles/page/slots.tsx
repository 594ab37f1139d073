import type { Cycle, SlotWithDays } from "../../../../src/contract/cycles.ts";
import { Can } from "../../../console/can.tsx";
import { Confirmation } from "../../../console/confirmation.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { Line } from "../../../console/text.tsx";
import { ZonedTime } from "../../../console/zoned-timestamp.tsx";
import { SlotBadge } from "./cycle-badges.tsx";
import { isLive } from "./line.tsx";
import { AnswerForms } from "./slot-requests.tsx";

export interface SlotPanelProps {
  readonly cycle: Cycle;
  readonly slot: SlotWithDays;
  /** The address of an action on this slot. */
  readonly at: (action: string) => string;
}

/** A slot: its state, and what the app's owner can do with it. */
export const SlotPanel = (props: SlotPanelProps) => {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <h2>{`Slot ${slot.seat}`}</h2>
        <SlotBadge status={slot.status} />
      </div>
      {slot.tester === null ? (
        <p class="muted">
          Nobody has this slot yet. A tester can ask for it, or a maintainer can give it to a tester.
        </p>
      ) : (
        <SlotFacts {...props} tester={slot.tester} />
      )}
      <Can needs="maintainer">
        <SlotActions {...props} />
      </Can>
    </>
  );
};

type Tester = NonNullable<SlotWithDays["tester"]>;

const SlotFacts = ({ cycle, slot, tester }: SlotPanelProps & { readonly tester: Tester }) => (
  <dl class="pairs">
    <dt>Tester</dt>
    <dd>
      <Line text={tester.email} />
    </dd>
    <Moment name="Expires" at={slot.requestExpiresAt} timezone={cycle.timezone} />
    <Moment name="Active since" at={slot.activatedAt} timezone={cycle.timezone} />
    <Moment name="Ended" at={slot.endedAt} timezone={cycle.timezone} />
    {slot.activatedAt !== null && (
      <>
        <dt>Counted</dt>
        <dd>{`${slot.daysCounted} of ${cycle.durationDays} days`}</dd>
        <dt>Missed</dt>
        <dd>{`${slot.missedDays}; the slot is lost at ${cycle.maxMissedDays}`}</dd>
        <dt>Store’s test</dt>
        <dd>{slot.joinCheckPending ? "Joining is not confirmed yet" : "Joined"}</dd>
      </>
    )}
  </dl>
);

interface MomentProps {
  readonly name: string;
  readonly at: string | null;
  readonly timezone: string;
}

const Moment = ({ name, at, timezone }: MomentProps) =>
  at === null ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <ZonedTime at={at} timezone={timezone} />
      </dd>
    </>
  );

const SlotActions = ({ cycle, slot, at }: SlotPanelProps) => {
  if (slot.status === "requested") return <AnswerForms slot={slot} at={at} />;
  if (!isLive(cycle) || (slot.status !== "active" && slot.status !== "at_risk")) return null;
  return (
    <div class="stack tight">
      {slot.joinCheckPending && (
        <form class="actions" method="post" action={at("confirm-join")}>
          <IdempotencyField />
          <button class="small" type="submit">
            Confirm joining
          </button>
        </form>
      )}
      <Confirmation offer="Replace the test key" action={at("rotate-key")} button="Replace the key">
        The current key stops working at once: sessions reported with it no longer count. The tester’s client
        reads the new one by itself.
      </Confirmation>
      <Confirmation offer="Remove the tester" action={at("remove")} button="Remove permanently" danger>
        The tester loses the slot for the rest of this cycle and cannot get another one in it. The counted
        days stay on record, and another tester can get the slot.
      </Confirmation>
    </div>
  );
};
