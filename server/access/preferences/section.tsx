import type { Preferences } from "../../../src/contract/preferences.ts";
import { Choices, type Filled, IdempotencyField, Tick } from "../../console/forms.tsx";
import { Refused } from "../../console/parts.tsx";

const afterResolving = [
  { value: "next", label: "Open the next thread", hint: "You go through a list without a break." },
  { value: "stay", label: "Stay on the thread", hint: "You see what you have just done." },
  { value: "list", label: "Go back to the list", hint: "You choose the next thread yourself." },
];

/** Returns the values of the form for stored preferences. */
export const preferenceValues = (stored: Preferences) => ({
  keys: stored.keys ? "on" : "",
  afterResolving: stored.afterResolving,
});

/** The form with which a person chooses how the console works. */
export const PreferencesSection = ({ form, action }: { readonly form: Filled; readonly action: string }) => (
  <section class="stack" aria-labelledby="preferences">
    <h2 id="preferences">Keys and lists</h2>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <Tick
        form={form}
        name="keys"
        label="Single keys"
        hint="Keys such as J, K and E move and act on pages, outside of fields. The key ? lists them."
      />
      <Choices
        form={form}
        name="afterResolving"
        legend="After you resolve or archive a thread"
        options={afterResolving}
      />
      <div class="actions">
        <button type="submit">Save</button>
      </div>
    </form>
  </section>
);
