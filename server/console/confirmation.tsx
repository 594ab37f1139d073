import type { ComponentChildren } from "preact";
import { IdempotencyField } from "./idempotency-field.tsx";

export interface ConfirmationProps {
  /** The text that opens the confirmation. */
  readonly offer: string;
  readonly action: string;
  /** The text of the button that does the action. */
  readonly button: string;
  readonly danger?: boolean;
  /** The effects of the action. */
  readonly children: ComponentChildren;
}

/** An action that shows its effects before it can be done. */
export const Confirmation = ({ offer, action, button, danger = false, children }: ConfirmationProps) => (
  <details class={danger ? "reveal danger" : "reveal"}>
    <summary>{offer}</summary>
    <form class="stack" method="post" action={action}>
      <p>{children}</p>
      <IdempotencyField />
      <div class="actions">
        <button class={danger ? "danger small" : "small"} type="submit">
          {button}
        </button>
      </div>
    </form>
  </details>
);
