import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import type { Links } from "../../console/links.ts";
import { Refused } from "../../console/parts.tsx";
import { CodeField } from "../sign-in-methods/factor-form.tsx";

export interface DeleteAccountProps {
  readonly form: Filled | undefined;
  readonly links: Links;
  readonly hasPassword: boolean;
  readonly hasFactor: boolean;
}

/** Asks for everything that signs the person in, so that another person at an open browser cannot delete the account. */
export const DeleteAccount = ({ form, links, hasPassword, hasFactor }: DeleteAccountProps) => (
  <details class="reveal danger" open={form !== undefined}>
    <summary>Delete your account</summary>
    <form class="card stack" method="post" action={links.deleteAccount}>
      <Refused refusal={form?.refusal} />
      <p>
        Your account, its tokens, devices, connections and memberships are deleted permanently. Texts that you
        wrote in apps stay there without your name. Reports that you sent as a user of an app belong to its
        owners: ask them to erase you.
      </p>
      <IdempotencyField />
      <TextField
        form={form ?? filledWith()}
        name="email"
        label="Your e-mail address"
        type="email"
        autocomplete="off"
        hint="Type the address of this account to confirm."
        required
      />
      {hasPassword && (
        <TextField
          form={{ value: () => "", refusal: form?.refusal }}
          name="currentPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
      )}
      {hasFactor && <CodeField form={form} part="delete" />}
      <div class="actions">
        <button class="danger" type="submit">
          Delete the account permanently
        </button>
      </div>
    </form>
  </details>
);
