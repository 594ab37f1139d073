import { type Role, roles } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import {
  type Invitation,
  invitations,
  type Member,
  members,
  type Offer,
} from "../../../src/contract/people.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  Confirmation,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  givenFor,
  IdempotencyField,
  NameField,
  OriginalValues,
  TextField,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage, navigationOf } from "../../console/layout.tsx";
import { MailFaultNotice, mailFaultFor } from "../../console/mail-fault.tsx";
import { changed } from "../../console/notices.ts";
import { Avatar, Empty, Line, Notice, Person, Refused, Secret } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, Timestamp } from "../../console/times.tsx";
import type { MailFault } from "../../mail/outgoing/rules.ts";
import { deviceSignInLinks, onTo, SwitchAccount } from "../sign-in/device-visit.tsx";

/** Creates an invitation. A redirect would put its link into an address or a cookie. */
function invite(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const made = await ask(invitations.create, {
        params: { appId: param("appId") },
        body: { email: fields.text("email"), role: fields.text("role") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showMembers(visit, { made });
    },
    (refusal) => showMembers(visit, { invite: filledAgain(fields, refusal) }),
  );
}

async function withdrawInvitation({
  ask,
  fields,
  links,
  param,
}: SignedInVisit): Promise<Reply<"invitation-withdrawn">> {
  const params = { appId: param("appId"), invitationId: param("invitationId") };
  await ask(invitations.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.members(params.appId), "invitation-withdrawn");
}

/** Saves the role only if the person changed it. An unchanged form must not undo another owner's change. */
function changeRole(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId"), userId: param("userId").toLowerCase() };
  return reshowForm(
    async () => {
      const { items } = await ask(members.list, { params: { appId: params.appId } });
      const member = items.find(({ userId }) => userId === params.userId);
      if (!member) throw new ApiError("not_found");
      const current = currentMember(member);
      const { role } = changedValues(fields, givenFor(fields, current), current);
      if (role !== undefined)
        await ask(members.update, { params, body: { role }, idempotencyKey: fields.idempotencyKey });
      return goTo(links.members(params.appId), "changed");
    },
    (refusal) =>
      showMembers(visit, { refusal, role: { userId: params.userId, form: filledAgain(fields, refusal) } }),
  );
}

const currentMember = ({ role }: Member) => ({ role });

function removeMember(visit: SignedInVisit): Promise<Reply<"left" | "member-removed">> {
  const { ask, caller, fields, links, param } = visit;
  const params = { appId: param("appId"), userId: param("userId") };
  return reshowForm(
    async () => {
      await ask(members.remove, { params, idempotencyKey: fields.idempotencyKey });
      return params.userId.toLowerCase() === caller.userId
        ? goTo(links.home, "left")
        : goTo(links.members(params.appId), "member-removed");
    },
    (refusal) => showMembers(visit, { refusal }),
  );
}

/** What the page shows after a form was sent: the refused form, the new invitation, or an error. */
interface MemberForms {
  readonly invite?: Filled;
  /** A new invitation. Its link is shown only once. */
  readonly made?: { readonly email: string; readonly url: string | null };
  /** The error if the change of a member was refused. */
  readonly refusal?: ApiError;
  /** The form for the role of a member, if it was refused. */
  readonly role?: { readonly userId: string; readonly form: Filled };
}

async function showMembers(visit: SignedInVisit, forms: MemberForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "members");
  const status = (forms.invite?.refusal ?? forms.refusal)?.status;
  if (navigation.app.role !== "owner")
    return show(<OwnRole navigation={navigation} visit={visit} forms={forms} />, status);
  const params = { appId: navigation.app.id };
  const [{ items }, open, mailFault] = await Promise.all([
    visit.ask(members.list, { params }),
    visit.ask(invitations.list, { params }),
    mailFaultFor(visit, navigation),
  ]);
  return show(
    <Members {...{ navigation, visit, forms, mailFault }} members={items} invitations={open.items} />,
    status,
  );
}

interface PageProps {
  readonly navigation: AppNavigation;
  readonly visit: SignedInVisit;
  readonly forms: MemberForms;
}

const Members = ({
  navigation,
  visit,
  forms,
  members,
  invitations,
  mailFault,
}: PageProps & {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  readonly mailFault: MailFault | undefined;
}) => (
  <ConsolePage navigation={navigation} title="Members" narrow>
    <div class="head">
      <div>
        <h1>Members</h1>
        <p>The people who work on this app, and what each of them may do.</p>
      </div>
    </div>
    <div class="stack wide">
      <Refused refusal={forms.refusal} />
      <MailFaultNotice fault={mailFault} />
      {forms.made && <NewLink made={forms.made} />}
      <ul class="list">
        <InTurns>
          {members.map((member) => (
            <MemberLine
              key={member.userId}
              member={member}
              own={member.userId === visit.caller.userId}
              form={forms.role?.userId === member.userId ? forms.role.form : undefined}
              at={(part) => visit.links.member(navigation.app.id, member.userId, part)}
              now={visit.now}
            />
          ))}
        </InTurns>
      </ul>
      <Invitations {...{ navigation, visit, invitations }} form={forms.invite} />
    </div>
  </ConsolePage>
);

const NewLink = ({ made: { email, url } }: { readonly made: NonNullable<MemberForms["made"]> }) =>
  url === null ? (
    <Notice done="invited">
      The invitation goes to <Line text={email} /> by mail.
    </Notice>
  ) : (
    <div class="card fresh stack">
      <Notice done="invited">
        This server sends no mail. Send the link to <Line text={email} /> yourself, so that nobody else can
        read it.
      </Notice>
      <Secret label={`The link for ${email}`} secret={url} />
    </div>
  );

/** The page for members who are not owners. It shows their own role, and a form to leave the app. */
const OwnRole = ({ navigation, visit, forms }: PageProps) => {
  const { app, links } = navigation;
  return (
    <ConsolePage navigation={navigation} title="Members" narrow>
      <div class="head">
        <div>
          <h1>Members</h1>
          <p>Only owners of this app see and change its members.</p>
        </div>
      </div>
      <div class="stack wide">
        <Refused refusal={forms.refusal} />
        <p class="card">
          You are a <b>{roleNames[app.role].toLowerCase()}</b> of this app. {roleSentences[app.role]}
        </p>
        <Confirmation
          offer="Leave this app"
          action={links.member(app.id, visit.caller.userId, "remove")}
          button="Leave"
          danger
        >
          You lose access immediately. You can return only with a new invitation from an owner.
        </Confirmation>
      </div>
    </ConsolePage>
  );
};

/** One line for a member. It opens to show the forms that change the role or remove the member. */
const MemberLine = ({
  member,
  own,
  form,
  at,
  now,
}: {
  readonly member: Member;
  readonly own: boolean;
  /** The sent form for the role, if it was refused. */
  readonly form: Filled | undefined;
  /** Returns the address of a form that changes this member. */
  readonly at: (part: string) => string;
  readonly now: Date;
}) => {
  const current = currentMember(member);
  const shown = filledOver(form, current);
  return (
    <li class="folded">
      <details open={form !== undefined}>
        <summary>
          <span class="member">
            <Avatar userId={member.userId} email={member.email} />
            <span class="who">
              <b>
                <Line text={member.name ?? member.email} />
              </b>
              {member.name !== null && (
                <span class="muted small">
                  <Line text={member.email} />
                </span>
              )}
            </span>
          </span>
          <span class="muted small">
            member since <Ago at={member.createdAt} now={now} />
          </span>
          <span class="row">
            {own && <span class="muted small">you</span>}
            <span class="badge">{roleNames[member.role]}</span>
            <span class="unseen">Change or remove</span>
          </span>
        </summary>
        <div class="stack">
          <form class="stack" method="post" action={at("role")}>
            <IdempotencyField />
            <OriginalValues current={current} form={shown} />
            <Choices form={shown} name="role" legend="Role" options={roleChoices} part={member.userId} />
            <div class="actions">
              <button type="submit">
                Save the role<span class="unseen">{` of ${member.name ?? member.email}`}</span>
              </button>
            </div>
          </form>
          <Confirmation
            offer={own ? "Leave this app" : "Remove from this app"}
            action={at("remove")}
            button={own ? "Leave" : "Remove"}
            danger
          >
            {own
              ? "You lose access immediately. You can return only with a new invitation from an owner."
              : "The person and their tokens lose access immediately. Texts that the person wrote are not deleted."}
          </Confirmation>
        </div>
      </details>
    </li>
  );
};

/** The invitations that nobody has accepted yet, and the form for a new one. */
const Invitations = ({
  navigation: { links, app },
  visit,
  invitations,
  form,
}: {
  readonly navigation: AppNavigation;
  readonly visit: Pick<SignedInVisit, "settings">;
  readonly invitations: readonly Invitation[];
  readonly form: Filled | undefined;
}) => (
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
        hint={`The link works once, within 7 days, and only for an account with this address. ${delivery(visit.settings)}`}
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
    : "This server sends no mail, so you get the link and send it to that person yourself. Innkeep cannot check who uses the link.";

const InvitationLine = ({
  invitation,
  action,
}: {
  readonly invitation: Invitation;
  readonly action: string;
}) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={invitation.email} />
      </b>
      <span class="badge">{roleNames[invitation.role]}</span>
    </div>
    <p class="under">
      <span>
        invited by <Person email={invitation.invitedBy} />
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

const roleNames: Readonly<Record<Role, string>> = {
  owner: "Owner",
  maintainer: "Maintainer",
  viewer: "Viewer",
};

const roleSentences: Readonly<Record<Role, string>> = {
  owner: "Can do everything, including settings, keys, agents, members, and the deletion of the app.",
  maintainer: "Can work on feedback, decide on proposals, write the FAQ and release notes, and run tests.",
  viewer: "Can read everything that maintainers can read, but cannot change anything.",
};

/** The options for a role. The role with the fewest rights is first. */
const roleChoices = [...roles].reverse().map((role) => ({
  value: role,
  label: roleNames[role],
  hint: roleSentences[role],
}));

const membersPage = definePage({
  at: (links) => links.members(":appId"),
  needs: "viewer",
  show: showMembers,
});

/** Shows an invitation. People who are not signed in get this page after they have signed in or signed up. */
const showInvitation = (visit: SignedInVisit): Promise<Reply> =>
  unlessRefused(visit, () => showOffer(visit, filledWith()));

async function showOffer(visit: SignedInVisit, form: Filled): Promise<Reply> {
  const offer = await visit.ask(invitations.read, { params: { token: visit.param("token") } });
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Invitation" narrow>
      <Offered {...{ offer, visit, form }} hasName={navigation.people.has(navigation.email)} />
    </ConsolePage>,
    form.refusal?.status,
  );
}

const acceptInvitation = (visit: SignedInVisit): Promise<Reply<"joined">> =>
  unlessRefused(visit, async () => {
    const { ask, fields, links, param } = visit;
    const params = { token: param("token") };
    const body = { name: fields.text("name") };
    try {
      const { appId } = await ask(invitations.accept, {
        params,
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.inbox(appId), "joined");
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "bad_request") throw error;
      return showOffer(visit, filledAgain(fields, error));
    }
  });

/** Calls `act`. If the link has no invitation for this account, shows the same page for every reason. */
async function unlessRefused<Done extends string = never>(
  visit: SignedInVisit,
  act: () => Promise<Reply<Done>>,
): Promise<Reply<Done>> {
  try {
    return await reshowForm(act, (refusal) => refused(visit, refusal));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "email_unverified") return unverified(visit, error);
    if (error.code !== "not_found") throw error;
    return refused(visit, error);
  }
}

async function refused(visit: SignedInVisit, { message, status }: ApiError): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Invitation" narrow>
      <div class="head">
        <h1>Invitation</h1>
      </div>
      <Empty title="This link cannot be used here">
        <p>{message}</p>
        <p>
          If the invitation is for another address of yours, sign out, and sign in with that address. If you
          have no account with that address, create one on the sign-in page.
        </p>
        <SwitchAccount
          action={deviceSignInLinks(visit.settings).switchAccount}
          to={visit.links.invitation(visit.param("token"))}
          label="Sign out and use another address"
        />
      </Empty>
    </ConsolePage>,
    status,
  );
}

/**
 * Asks the person to verify the address of the account. Somebody else may have created the account with this address.
 */
async function unverified(visit: SignedInVisit, { status }: ApiError): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const invitation = visit.links.invitation(visit.param("token"));
  return show(
    <ConsolePage navigation={navigation} title="Invitation" narrow>
      <div class="head">
        <h1>Invitation</h1>
      </div>
      <Empty title="Verify this address">
        <p>
          The invitation is for <Line text={navigation.email} />. Set a new password with a link that you get
          by mail. Then you are signed out. Sign in again, and you see the invitation.
        </p>
        <p>
          <a class="button primary" href={onTo(visit.links.recover, invitation)}>
            Send the link
          </a>
        </p>
      </Empty>
    </ConsolePage>,
    status,
  );
}

const Offered = ({
  offer: { app, role, invitedBy, expiresAt },
  visit,
  hasName,
  form,
}: {
  readonly offer: Offer;
  readonly visit: SignedInVisit;
  readonly hasName: boolean;
  readonly form: Filled;
}) => (
  <>
    <div class="head">
      <div>
        <h1>Invitation</h1>
        <p>
          <Line text={invitedBy} /> invites you to work on <Line text={app.name} />.
        </p>
      </div>
    </div>
    <form class="card stack" method="post" action={visit.links.invitation(visit.param("token"), "accept")}>
      <p>
        Your role: <b>{roleNames[role].toLowerCase()}</b>. {roleSentences[role]}
      </p>
      <p class="muted small">
        The link works until <Timestamp at={expiresAt} />.
      </p>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      {!hasName && <NameField form={form} hint="The other members see it in place of your address." />}
      <div class="actions">
        <button class="primary" type="submit">
          Accept
        </button>
      </div>
    </form>
  </>
);

const invitationPage = definePage({
  at: (links) => links.invitation(":token"),
  needs: "account",
  show: showInvitation,
});

export const definitions: Definitions = [
  membersPage,
  defineForm({
    at: (links) => links.members(":appId", "invitations"),
    page: membersPage,
    act: invite,
    done: {},
    word: "invite",
    notDone: "The invitation was not created.",
  }),
  defineForm({
    at: (links) => links.members(":appId", "invitations/:invitationId/withdraw"),
    page: membersPage,
    act: withdrawInvitation,
    done: { "invitation-withdrawn": "The invitation is withdrawn. Its link no longer works." },
    word: "withdrawInvitation",
    notDone: "The invitation was not withdrawn.",
  }),
  defineForm({
    at: (links) => links.member(":appId", ":userId", "role"),
    page: membersPage,
    act: changeRole,
    done: changed,
    word: "changeRole",
    notDone: "The role was not changed.",
  }),
  defineForm({
    at: (links) => links.member(":appId", ":userId", "remove"),
    page: membersPage,
    act: removeMember,
    done: {
      left: "You have left the app.",
      "member-removed": "The person is no longer a member of this app.",
    },
    word: "removeMember",
    notDone: "The member was not removed.",
  }),
  invitationPage,
  defineForm({
    at: (links) => links.invitation(":token", "accept"),
    page: invitationPage,
    act: acceptInvitation,
    done: { joined: "You are a member of this app now." },
    word: "join",
    notDone: "You have not joined the app.",
  }),
];
