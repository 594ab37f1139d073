import type { ComponentChildren } from "preact";
import { Once } from "./idempotency-field.tsx";

export interface ConfirmedProps {
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
export const Confirmed = ({ offer, action, button, danger = false, children }: ConfirmedProps) => (
  <details class={danger ? "reveal danger" : "reveal"}>
    <summary>{offer}</summary>
    <form class="stack" method="post" action={action}>
      <p>{children}</p>
      <Once />
      <div class="actions">
        <button class={danger ? "danger small" : "small"} type="submit">
          {button}
        </button>
      </div>
    </form>
  </details>
);
