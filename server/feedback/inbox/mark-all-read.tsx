import { HiddenFields } from "../../console/hidden-fields.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { nameIn, statusNames, typeNames } from "../threads/badges.tsx";

export interface MarkAllReadProps {
  /** The status and the type of the shown list; empty for all. */
  readonly status: string;
  readonly type: string;
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
  /** When the list was read: what happens later stays unread. */
  readonly now: Date;
}

/** Marks every thread of the list as read, on all pages of it. */
export const MarkAllRead = ({ status, type, action, list, now }: MarkAllReadProps) => (
  <form class="mark-all" method="post" action={action}>
    <IdempotencyField />
    <HiddenFields
      values={[
        ["status", status],
        ["type", type],
        ["until", now.toISOString()],
        ["list", list],
      ]}
    />
    <button class="small" type="submit">
      {wordsOf(status, type)}
    </button>
  </form>
);

function wordsOf(status: string, type: string): string {
  const only = [
    ...(status === "" ? [] : [nameIn(statusNames, status).toLowerCase()]),
    ...(type === "" ? [] : [`of the type ${nameIn(typeNames, type).toLowerCase()}`]),
  ];
  return only.length === 0 ? "Mark all as read" : `Mark all ${only.join(" and ")} as read`;
}
