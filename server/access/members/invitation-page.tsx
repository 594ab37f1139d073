import { ApiError } from "../../../src/contract/errors.ts";
import { invitations, type Offer } from "../../../src/contract/members.ts";
import { Empty } from "../../console/empty.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { goTo, type Reply, reshowForm, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import { Timestamp } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { roleNames, roleSentences } from "./role-texts.ts";

/** What the link of an invitation offers. People who are not signed in come here after they have signed in or up. */
export const invitationPage = (visit: SignedInVisit): Promise<Reply> =>
  unlessRefused(visit, async () => {
    const offer = await visit.ask(invitations.read, { params: { token: visit.param("token") } });
    const navigation = await navigationOf(visit);
    return show(
      <ConsolePage navigation={navigation} title="Invitation" narrow>
        <Offered offer={offer} visit={visit} />
      </ConsolePage>,
    );
  });

export const acceptInvitation = (visit: SignedInVisit): Promise<Reply> =>
  unlessRefused(visit, async () => {
    const { ask, fields, links, param } = visit;
    const params = { token: param("token") };
    const { appId } = await ask(invitations.accept, { params, idempotencyKey: fields.idempotencyKey });
    return goTo(links.inbox(appId), "joined");
  });

/** The same page for every link that offers nothing to this account. */
async function unlessRefused(visit: SignedInVisit, act: () => Promise<Reply>): Promise<Reply> {
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
          If it is for another address of yours, sign out, open the link again, and sign in with that address.
        </p>
      </Empty>
    </ConsolePage>,
    status,
  );
}

/** For an account that somebody else may have made with this address. */
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

interface OfferedProps {
  readonly offer: Offer;
  readonly visit: SignedInVisit;
}

const Offered = ({ offer: { app, role, invitedBy, expiresAt }, visit }: OfferedProps) => (
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
      <IdempotencyField />
      <div class="actions">
        <button class="primary" type="submit">
          Accept
        </button>
      </div>
    </form>
  </>
);
