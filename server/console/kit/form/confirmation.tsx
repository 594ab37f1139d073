import type { ComponentChildren } from "preact";
import { IdempotencyField } from "./idempotency-field.tsx";

export interface ConfirmationProps {
  /** What opens the confirmation. */
  readonly offer: string;
  readonly action: string;
  /** What the button says that does it. */
  readonly button: string;
  readonly danger?: boolean;
  /** What happens then. */
  readonly children: ComponentChildren;
}

/** Something that is done only after its effects were read. */
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
