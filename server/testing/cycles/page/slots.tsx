import type { Cycle, SlotWithDays } from "../../../../src/contract/cycles.ts";
import { countOf } from "../../../../src/words/count.ts";
import { Confirmation, IdempotencyField } from "../../../console/forms.tsx";
import { InTurns } from "../../../console/in-turns.tsx";
import { Can, Line } from "../../../console/parts.tsx";
import { Remaining, ZonedTime } from "../../../console/times.tsx";
import { isLive, SlotBadge } from "../parts.tsx";

interface SlotPanelProps {
  readonly cycle: Cycle;
  readonly slot: SlotWithDays;
  /** Returns the address of a form that changes this slot. */
  readonly at: (action: string) => string;
}

/** Shows the state of a slot, and the forms with which the app's owner changes the slot. */
export const SlotPanel = (props: SlotPanelProps) => {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <h2>{`Slot ${slot.seat}`}</h2>
        <SlotBadge status={slot.status} />
      </div>
      {slot.tester === null ? (
        <p class="muted">Nobody has this slot yet. A tester can request it, or a maintainer can assign it.</p>
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
    <Moment name="Request expires" at={slot.requestExpiresAt} timezone={cycle.timezone} />
    <Moment name="Active since" at={slot.activatedAt} timezone={cycle.timezone} />
    <Moment name="Ended" at={slot.endedAt} timezone={cycle.timezone} />
    {slot.activatedAt !== null && (
      <>
        <dt>Counted</dt>
        <dd>{`${slot.daysCounted} of ${countOf(cycle.durationDays, "day")}`}</dd>
        <dt>Missed</dt>
        <dd>{`${slot.missedDays}; at ${cycle.maxMissedDays}, the tester loses the slot`}</dd>
        <dt>Store’s test</dt>
        <dd>{slot.joinCheckPending ? "Joining is not confirmed yet" : "Joined"}</dd>
      </>
    )}
  </dl>
);

const Moment = ({
  name,
  at,
  timezone,
}: {
  readonly name: string;
  readonly at: string | null;
  readonly timezone: string;
}) =>
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
        The current key stops working immediately: sessions that are reported with it no longer count. The
        tester’s client reads the new key automatically.
      </Confirmation>
      <Confirmation offer="Remove the tester" action={at("remove")} button="Remove permanently" danger>
        The tester loses the slot for the rest of this cycle and cannot get another slot in it. The counted
        days stay on record, and another tester can get the slot.
      </Confirmation>
    </div>
  );
};

/** Lists the testers who request a slot in this cycle, each with buttons that accept or decline the request. */
export const SlotRequests = ({
  slots,
  now,
  at,
}: {
  readonly slots: readonly SlotWithDays[];
  readonly now: Date;
  /** Returns the address of a form that changes a slot. */
  readonly at: (slotId: string, action: string) => string;
}) => (
  <section class="proposal awaiting" aria-labelledby="requests-title">
    <header>
      <h2 id="requests-title">Slot requests</h2>
      <span class="badge attention">{countOf(slots.length, "request")}</span>
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

const AnswerForms = ({
  slot: { tester, seat },
  at,
}: {
  readonly slot: SlotWithDays;
  readonly at: (action: string) => string;
}) => {
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
