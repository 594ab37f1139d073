import { limits } from "../../../../src/contract/limits.ts";
import { Choices } from "../../../console/choices.tsx";
import { type Filled, TextArea, TextField } from "../../../console/forms.tsx";

/** The fields of a listing: what testers read, and how a day is verified. */
export const ListingFields = ({ form }: { readonly form: Filled }) => (
  <>
    <div class="columns">
      <TextField form={form} name="appName" label="Name of the app" required />
      <TextField
        form={form}
        name="packageName"
        label="Package name"
        placeholder="com.example.app"
        autocomplete="off"
        required
      />
    </div>
    <TextField
      form={form}
      name="optInUrl"
      label="Opt-in address"
      type="url"
      placeholder="https://"
      hint="Where testers join the store's closed test."
      required
    />
    <TextField
      form={form}
      name="iconUrl"
      label="Icon address"
      type="url"
      placeholder="https://"
      hint="Optional. Testers see it beside the name."
    />
    <TextArea
      form={form}
      name="testBrief"
      label="Test brief"
      hint="What testers should do, in a few sentences."
      required
    />
    <TextArea
      form={form}
      name="screens"
      label="Screens"
      hint={`One per line, each named as your app reports it; at most ${limits.listingScreens}. Each day, each slot is asked to visit one of them.`}
      required
    />
    <Choices form={form} name="verificationTier" legend="How a day is verified" options={tiers} />
    <Numbers form={form} />
  </>
);

const tiers = [
  { value: "sdk", label: "By sessions", hint: "Your app reports sessions itself; a proof counts as well." },
  { value: "screenshot", label: "By screenshots", hint: "Your app reports nothing; testers send images." },
] as const;

const Numbers = ({ form }: { readonly form: Filled }) => (
  <fieldset class="stack tight">
    <legend>Size of a cycle</legend>
    <p class="hint">Changes apply to later cycles. Cycles that are already planned keep their size.</p>
    <div class="columns three">
      <TextField form={form} name="seats" label="Slots" inputMode="numeric" required />
      <TextField form={form} name="durationDays" label="Days" inputMode="numeric" required />
      <TextField
        form={form}
        name="maxMissedDays"
        label="Missed days"
        inputMode="numeric"
        hint="A tester who misses this many, in a row or not, loses the slot."
        required
      />
    </div>
  </fieldset>
);
