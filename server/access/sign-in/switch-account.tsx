import { IdempotencyField } from "../../console/idempotency-field.tsx";

/** A button that signs the browser out and leads back to `to` after another sign-in. */
export const SwitchAccount = ({ action, to }: { readonly action: string; readonly to: string }) => (
  <form method="post" action={action}>
    <IdempotencyField />
    <input type="hidden" name="to" value={to} />
    <button class="quiet small" type="submit">
      Use another
    </button>
  </form>
);
