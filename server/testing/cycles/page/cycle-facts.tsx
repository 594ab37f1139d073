import type { ComponentChildren } from "preact";
import type { Cycle, SlotWithDays } from "../../../../src/contract/cycles.ts";
import { justBefore } from "../../../console/zoned-times.ts";
import { ZonedDay } from "../../../console/zoned-timestamp.tsx";
import { isLive } from "./line.tsx";

export interface CycleFactsProps {
  readonly cycle: Cycle;
  readonly slots: readonly SlotWithDays[];
}

/** The state of a cycle in a few figures. */
export const CycleFacts = ({ cycle, slots }: CycleFactsProps) => {
  const { timezone, durationDays, dayIndex, status } = cycle;
  const held = slots.filter(isHeld).length;
  const requested = slots.filter((slot) => slot.status === "requested").length;
  const atRisk = slots.filter((slot) => slot.status === "at_risk").length;
  return (
    <dl class="facts">
      <Fact name="Day">
        {status === "recruiting" ? "Not started" : `${dayIndex} of ${durationDays}`}
        <progress max={durationDays} value={dayIndex} aria-label="Days of the test" />
      </Fact>
      <Fact name="Testers">
        {`${held} of ${numberOfSlots(slots)}`}
        <span class="aside-note">{atRisk > 0 ? `${atRisk} at risk` : "none at risk"}</span>
      </Fact>
      {isLive(cycle) && (
        <Fact name="Requests">
          {requested}
          <span class="aside-note">{requested > 0 ? "waiting for you" : "none waiting"}</span>
        </Fact>
      )}
      <Fact name={status === "recruiting" ? "Starts" : "Started"}>
        <ZonedDay at={cycle.startsAt} timezone={timezone} />
        <span class="aside-note">{`at midnight, ${timezone}`}</span>
      </Fact>
      <Fact name="Last day">
        <ZonedDay at={justBefore(cycle.endsAt)} timezone={timezone} />
        <span class="aside-note">{`until midnight, ${timezone}; its late sessions count for one more day`}</span>
      </Fact>
    </dl>
  );
};

const isHeld = ({ status }: SlotWithDays): boolean =>
  status === "active" || status === "at_risk" || status === "completed";

/** How many slots the cycle has: a slot and its successors have one number. */
const numberOfSlots = (slots: readonly SlotWithDays[]): number => new Set(slots.map(({ seat }) => seat)).size;

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
