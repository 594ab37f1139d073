import type { Listing } from "../../../../src/contract/listings.ts";
import { type Filled, Select, TextField } from "../../../console/forms.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { Refused } from "../../../console/parts.tsx";
import { timeZones } from "../../../console/zoned-times.ts";

export interface NewCycleProps {
  readonly listing: Listing;
  readonly form: Filled;
  readonly action: string;
  /** Whether the owner's time zone is not known yet. The browser's own is then chosen. */
  readonly ownZone: boolean;
}

/** The form that plans a cycle. */
export const NewCycle = ({ listing: { seats, durationDays }, form, action, ownZone }: NewCycleProps) => (
  <form class="card stack" method="post" action={action}>
    <Refused refusal={form.refusal} />
    <p>
      A cycle starts and ends by itself. Testers can ask for its {seats} slots at once. The first day begins
      at midnight in the time zone below. The cycle ends after {durationDays} days.
    </p>
    <IdempotencyField />
    <div class="columns">
      <TextField form={form} name="startsOn" label="First day" type="date" required />
      <Select
        form={form}
        name="timezone"
        ownZone={ownZone}
        label="Time zone"
        options={timeZones.map((zone) => [zone, zone.replaceAll("_", " ")])}
        hint="Days begin and end at midnight in this time zone."
      />
    </div>
    <div class="actions">
      <button class="primary" type="submit">
        Plan the cycle
      </button>
    </div>
  </form>
);
