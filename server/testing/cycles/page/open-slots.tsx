import type { SlotWithDays } from "../../../../src/contract/cycles.ts";
import { filledWith } from "../../../console/filled-form.ts";
import { type Filled, Select, TextField } from "../../../console/forms.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { Refused } from "../../../console/parts.tsx";

export interface OpenSlotsProps {
  readonly slots: readonly SlotWithDays[];
  readonly form: Filled | undefined;
  readonly action: string;
}

/** The form that gives an open slot to a tester without a request. */
export const OpenSlots = ({ slots, form, action }: OpenSlotsProps) => (
  <section class="stack" aria-labelledby="open-slots">
    <div>
      <h2 id="open-slots">{slots.length === 1 ? "1 open slot" : `${slots.length} open slots`}</h2>
      <p class="muted">
        Testers can find open slots and ask for one. You can also give a slot to a person who has an account
        here.
      </p>
    </div>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form?.refusal} />
      <IdempotencyField />
      <div class="columns">
        <TextField
          form={form ?? filledWith()}
          name="email"
          label="E-mail of the tester"
          type="email"
          autocomplete="off"
          required
        />
        <Select
          form={form ?? filledWith()}
          name="slotId"
          label="Slot"
          options={slots.map(({ slotId, seat }) => [slotId, `Slot ${seat}`])}
        />
      </div>
      <div class="actions">
        <button type="submit">Give the slot</button>
      </div>
    </form>
  </section>
);
