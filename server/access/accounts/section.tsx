import type { Preferences } from "../../../src/contract/preferences.ts";
import { Choices, type Filled, IdempotencyField, Tick } from "../../console/forms.tsx";
import { Refused } from "../../console/parts.tsx";

const afterResolving = [
  {
    value: "next",
    label: "Open the next thread",
    hint: "You can handle a list of threads one after the other.",
  },
  { value: "stay", label: "Stay on the thread", hint: "You see the result of your action." },
  { value: "list", label: "Go back to the list", hint: "You choose the next thread yourself." },
];

/** Returns the values of the form for stored preferences. */
export const preferenceValues = (stored: Preferences) => ({
  keys: stored.keys ? "on" : "",
  afterResolving: stored.afterResolving,
});

/** The form for the person's console preferences. */
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
        hint="Keys such as J, K and E move through pages and act on threads while you are not typing in a field. The key ? shows all of them."
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
