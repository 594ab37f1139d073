import type { ApiError } from "../../../src/contract/errors.ts";
import { type Invitation, invitations, type Member, members } from "../../../src/contract/members.ts";
import { Confirmation } from "../../console/confirmation.tsx";
import type { Filled } from "../../console/forms.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import { Notice, Refused } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import { Secret } from "../../console/secret.tsx";
import { Line } from "../../console/text.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { Invitations } from "./invitations.tsx";
import { MemberLine } from "./member-line.tsx";
import { roleNames, roleSentences } from "./role-texts.ts";

/** What a form of the page led to. */
export interface MemberForms {
  readonly invite?: Filled;
  /** A new invitation. Its link is shown only this once. */
  readonly made?: { readonly email: string; readonly url: string | null };
  /** Why a change of a member was refused. */
  readonly refusal?: ApiError;
}

export const membersPage = (visit: SignedInVisit): Promise<Reply> => showMembers(visit);

export async function showMembers(visit: SignedInVisit, forms: MemberForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "members");
  const status = (forms.invite?.refusal ?? forms.refusal)?.status;
  if (navigation.app.role !== "owner")
    return show(<OwnRole navigation={navigation} visit={visit} forms={forms} />, status);
  const params = { appId: navigation.app.id };
  const [{ items }, open] = await Promise.all([
    visit.ask(members.list, { params }),
    visit.ask(invitations.list, { params }),
  ]);
  return show(<Members {...{ navigation, visit, forms }} members={items} invitations={open.items} />, status);
}

interface PageProps {
  readonly navigation: AppNavigation;
  readonly visit: SignedInVisit;
  readonly forms: MemberForms;
}

interface MembersProps extends PageProps {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

const Members = ({ navigation, visit, forms, members, invitations }: MembersProps) => (
  <ConsolePage navigation={navigation} title="Members" narrow>
    <div class="head">
      <div>
        <h1>Members</h1>
        <p>The people who work on this app, and what each of them may do.</p>
      </div>
    </div>
    <div class="stack wide">
      <Refused refusal={forms.refusal} />
      {forms.made && <NewLink made={forms.made} />}
      <ul class="list">
        <InTurns>
          {members.map((member) => (
            <MemberLine
              key={member.userId}
              member={member}
              own={member.userId === visit.caller.userId}
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
        This server sends no mail. Give the link to <Line text={email} /> yourself, in a way that nobody else
        can read.
      </Notice>
      <Secret label={`The link for ${email}`} secret={url} />
    </div>
  );

/** What people see who do not look after the members: their own role, and the way out. */
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
          You lose access at once. Only a new invitation from an owner gives it back.
        </Confirmation>
      </div>
    </ConsolePage>
  );
};
