import type { Invitation } from "../../../src/contract/members.ts";
import { Choices } from "../../console/choices.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import type { AppNavigation } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";
import { Line } from "../../console/text.tsx";
import { Timestamp } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { roleChoices, roleNames } from "./role-texts.ts";

export interface InvitationsProps {
  readonly navigation: AppNavigation;
  readonly visit: Pick<SignedInVisit, "settings">;
  readonly invitations: readonly Invitation[];
  readonly form: Filled | undefined;
}

/** The invitations that nobody has accepted yet, and the form for a new one. */
export const Invitations = ({ navigation: { links, app }, visit, invitations, form }: InvitationsProps) => (
  <section class="stack" aria-labelledby="invitations">
    <h2 id="invitations">Invitations</h2>
    {invitations.length > 0 && (
      <ul class="list">
        <InTurns>
          {invitations.map((invitation) => (
            <InvitationLine
              key={invitation.id}
              invitation={invitation}
              action={links.members(app.id, `invitations/${invitation.id}/withdraw`)}
            />
          ))}
        </InTurns>
      </ul>
    )}
    <form class="card stack" method="post" action={links.members(app.id, "invitations")}>
      <h3>Invite a person</h3>
      <Refused refusal={form?.refusal} />
      <IdempotencyField />
      <TextField
        form={form ?? filledWith()}
        name="email"
        label="E-mail"
        type="email"
        autocomplete="off"
        hint={`The link works for 7 days, once, and only for an account with this address. ${delivery(visit.settings)}`}
        required
      />
      <Choices
        form={form ?? filledWith({ role: "viewer" })}
        name="role"
        legend="Role"
        options={roleChoices}
      />
      <div class="actions">
        <button class="primary" type="submit">
          Invite
        </button>
      </div>
    </form>
  </section>
);

const delivery = ({ mailOut }: SignedInVisit["settings"]): string =>
  mailOut
    ? "It is sent by mail."
    : "This server sends no mail: you get the link, and give it to that person yourself. Innkeep cannot check who uses it.";

interface InvitationLineProps {
  readonly invitation: Invitation;
  readonly action: string;
}

const InvitationLine = ({ invitation, action }: InvitationLineProps) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={invitation.email} />
      </b>
      <span class="badge">{roleNames[invitation.role]}</span>
    </div>
    <p class="under">
      <span>
        invited by <Line text={invitation.invitedBy} />
      </span>
      <span>
        until <Timestamp at={invitation.expiresAt} />
      </span>
    </p>
    <form method="post" action={action}>
      <IdempotencyField />
      <button class="danger small" type="submit">
        Withdraw<span class="unseen">{` the invitation of ${invitation.email}`}</span>
      </button>
    </form>
  </li>
);
