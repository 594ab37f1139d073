import type { Member } from "../../../src/contract/members.ts";
import { Choices } from "../../console/choices.tsx";
import { Confirmation } from "../../console/confirmation.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import { roleChoices, roleNames } from "./role-texts.ts";

export interface MemberLineProps {
  readonly member: Member;
  readonly own: boolean;
  /** The address of an action on this member. */
  readonly at: (part: string) => string;
  readonly now: Date;
}

/** A member, with the forms that change the role or remove the member. */
export const MemberLine = ({ member, own, at, now }: MemberLineProps) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={member.email} />
      </b>
      <span class="row">
        {own && <span class="muted small">you</span>}
        <span class="badge">{roleNames[member.role]}</span>
      </span>
    </div>
    <p class="under">
      <span>
        member since <Ago at={member.createdAt} now={now} />
      </span>
    </p>
    <details class="reveal">
      <summary>
        Change the role<span class="unseen">{` of ${member.email}`}</span>
      </summary>
      <form class="stack" method="post" action={at("role")}>
        <IdempotencyField />
        <Choices
          form={filledWith({ role: member.role })}
          name="role"
          legend="Role"
          options={roleChoices}
          part={member.userId}
        />
        <div class="actions">
          <button type="submit">Save the role</button>
        </div>
      </form>
    </details>
    <Confirmation
      offer={own ? "Leave this app" : "Remove from this app"}
      action={at("remove")}
      button={own ? "Leave" : "Remove"}
      danger
    >
      {own
        ? "You lose access at once. Only a new invitation from an owner gives it back."
        : "The person loses access at once, everywhere. What the person wrote stays."}
    </Confirmation>
  </li>
);
