import { limits } from "../../../src/contract/limits.ts";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import type { Links } from "../../console/links.ts";
import { Refused } from "../../console/parts.tsx";
import { CodeField, FactorForm } from "./factor-form.tsx";

export interface ChangePasswordProps {
  readonly form: Filled | undefined;
  readonly links: Links;
}

/** Asks for the current password, so that another person at an open browser cannot change it. */
export const ChangePassword = ({ form, links }: ChangePasswordProps) => (
  <details class="reveal" open={form !== undefined}>
    <summary>Change password</summary>
    <form class="stack" method="post" action={links.password}>
      <Refused refusal={form?.refusal} />
      <p class="muted small">Every other browser is signed out. Tokens and devices stay as they are.</p>
      <IdempotencyField />
      {fields.map((field) => (
        <TextField key={field.name} form={form ?? filledWith()} type="password" {...field} required />
      ))}
      <div class="actions">
        <button class="primary" type="submit">
          Change password
        </button>
      </div>
    </form>
  </details>
);

/** For an account that signs in with a provider only. */
export const FirstPassword = ({ form, links, hasFactor }: ChangePasswordProps & { hasFactor: boolean }) => (
  <FactorForm offer="Set a password" action={links.password} form={form}>
    <p class="muted small">
      It works within ten minutes of your sign-in. Every other browser is signed out. Tokens and devices stay
      as they are.
    </p>
    {newFields.map((field) => (
      <TextField key={field.name} form={form ?? filledWith()} type="password" {...field} required />
    ))}
    {hasFactor && <CodeField form={form} part="password" />}
  </FactorForm>
);

const newFields = [
  {
    name: "newPassword",
    label: "New password",
    autocomplete: "new-password",
    hint: `At least ${limits.password.min} characters.`,
  },
  { name: "repeatedPassword", label: "New password again", autocomplete: "new-password" },
] as const;

const fields = [
  { name: "currentPassword", label: "Current password", autocomplete: "current-password" },
  ...newFields,
] as const;
