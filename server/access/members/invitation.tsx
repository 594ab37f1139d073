import { ApiError } from "../../../src/contract/errors.ts";
import { invitations, type Offer } from "../../../src/contract/members.ts";
import { type Definitions, defineForm, definePage } from "../../console/definitions.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  IdempotencyField,
  NameField,
} from "../../console/forms.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { Empty, Line, Refused } from "../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../console/respond.ts";
import { Timestamp } from "../../console/times.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { deviceSignInLinks, SwitchAccount } from "../sign-in/device-visit.tsx";
import { roleNames, roleSentences } from "./roles.ts";

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

/**
 * Calls `act`. If the link has no invitation for this account, returns a page that is the same for each reason. If the
 * address of the account is not verified, returns a page that asks the person to verify it.
 */
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
  return show(
    <ConsolePage navigation={navigation} title="Invitation" narrow>
      <div class="head">
        <h1>Invitation</h1>
      </div>
      <Empty title="Verify this address">
        <p>
          The invitation is for <Line text={navigation.email} />. Set a new password with a link that you get
          by mail. You are then signed out; sign in, and open the link of the invitation again.
        </p>
        <p>
          <a class="button primary" href={visit.links.recover}>
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
