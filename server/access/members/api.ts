import type { Role } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type {
  members as contract,
  Invitation,
  invitations as invitationsContract,
} from "../../../src/contract/people.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { accessTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handler, Handlers } from "../../http/handler.ts";
import { queueMail, sendsMail } from "../../mail/outgoing/queue.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { createNameChange } from "../accounts/changes.ts";
import { users } from "../accounts/store.ts";
import { ownedApp } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { changesBetween } from "../audit/rules.ts";
import { invitationMilliseconds, memberChangeRefusal } from "./rules.ts";
import {
  type InvitationLink,
  type InvitedRow,
  invitations as invitationRows,
  type Membership,
  members as rows,
} from "./store.ts";

/** Returns the handlers for the members of an app and their roles. (rules K25, K26) */
export function members(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return { items: await rows.list(deps.database, params.appId) };
    },

    update: ({ caller, address, params, body: { role }, save }) =>
      save(async (tx) => {
        const member = await changeableMember(tx, caller, params, role);
        if (member.role === role) return member;
        await rows.setRole(tx, params, role);
        const action = { action: "member.update", appId: params.appId, target: params.userId } as const;
        const changes = changesBetween({ role: member.role }, { role });
        await record(tx, { caller, address }, { ...action, label: member.email, changes });
        return { ...member, role };
      }),

    remove: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const { email: label } = await changeableMember(tx, caller, params, null);
        const action = { action: "member.delete", appId: params.appId, target: params.userId } as const;
        await record(tx, { caller, address }, { ...action, label });
        await rows.remove(tx, params);
        return undefined;
      }),
  };
}

/**
 * Locks the members. Returns the member to change. For a removal, `to` is null. Throws `not_found`, `forbidden`
 * and `last_owner`.
 */
async function changeableMember(tx: Transaction, caller: ConsoleCaller, params: Membership, to: Role | null) {
  await rows.lock(tx, params.appId);
  const { viewerRole: by } = await ownedApp(tx, params.appId, caller);
  const own = params.userId === caller.userId;
  // This check comes before the look-up of the member. Otherwise the caller could find out who is a member.
  if (by !== "owner" && !own) throw new ApiError("forbidden");
  const member = await rows.find(tx, params);
  if (!member) throw new ApiError("not_found");
  const owners = await rows.countOwners(tx, params.appId);
  const refusal = memberChangeRefusal({ by, own, from: member.role, to, owners });
  if (refusal) throw new ApiError(refusal);
  return member;
}

type MembersDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/**
 * Returns the handlers for invitations. The link of an invitation works once, for one e-mail address. (rules K27, K28)
 */
export function invitations(deps: MembersDeps): Handlers<typeof invitationsContract> {
  const record = createAuditWriter(deps);
  const changeName = createNameChange(deps);
  const linkOf = ({ email }: ConsoleCaller, token: string): InvitationLink => ({
    tokenHash: hashOf(token),
    email: normaliseEmail(email),
    now: deps.clock.now().toISOString(),
  });
  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return { items: await invitationRows.list(deps.database, appId, deps.clock.now().toISOString()) };
    },

    create: create(deps),

    remove: ({ caller, address, params: { appId, invitationId: target }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const withdrawn = await invitationRows.withdraw(tx, appId, target);
        if (!withdrawn) throw new ApiError("not_found");
        const label = withdrawn.email;
        await record(tx, { caller, address }, { action: "invitation.delete", appId, target, label });
        return undefined;
      }),

    async read({ caller, params }) {
      const offer = await invitationRows.offer(deps.database, linkOf(caller, params.token));
      if (!offer) throw noOffer(caller);
      await refuseUnverified(deps, deps.database, caller);
      const { appId, appName, ...rest } = offer;
      return { ...rest, app: { id: appId, name: appName } };
    },

    accept: ({ caller, address, params, body: { name }, save }) =>
      save(async (tx) => {
        const taken = await invitationRows.take(tx, linkOf(caller, params.token));
        if (!taken) throw noOffer(caller);
        await refuseUnverified(deps, tx, caller);
        const { appId, id: target } = taken;
        const { userId } = caller;
        await rows.lock(tx, appId);
        const present = await rows.roleOf(tx, appId, userId);
        const role = present ?? taken.role;
        const createdAt = deps.clock.now().toISOString();
        if (!present) await rows.insert(tx, { appId, userId, role, createdAt });
        if (name != null) await changeName(tx, { caller, address }, name);
        await record(
          tx,
          { caller, address },
          { action: "invitation.accept", appId, target, label: caller.email },
        );
        tx.signal(accessTopic(appId));
        return { appId, role };
      }),
  };
}

/**
 * Creates a function that returns the invitation of a link. No sign-in is needed, because the link contains a
 * secret. (rule K27)
 */
export const createInvitedRead =
  ({ database, clock }: Pick<Deps, "clock" | "database">) =>
  (secret: string): Promise<InvitedRow | undefined> =>
    invitationRows.invited(database, { tokenHash: hashOf(secret), now: clock.now().toISOString() });

export type InvitedRead = ReturnType<typeof createInvitedRead>;

/**
 * Throws `email_unverified` if the address of the account is not verified. A server without mail accepts every
 * address. (rule S30)
 */
async function refuseUnverified(
  { settings }: MembersDeps,
  reader: Reader,
  { userId, email }: ConsoleCaller,
): Promise<void> {
  if (!sendsMail(settings) || (await users.isVerified(reader, userId))) return;
  throw new ApiError("email_unverified", {
    message: `This invitation is for ${email}, and this address is not verified yet. Set a new password by mail at ${settings.consoleUrl}/recover, then open this link again.`,
  });
}

function create(deps: MembersDeps): Handler<typeof invitationsContract.create> {
  const record = createAuditWriter(deps);
  return ({ caller, address, params: { appId }, body, save }) => {
    const email = normaliseEmail(body.email);
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badRequest("email", "must be an e-mail address");
    const token = randomName();
    return save(async (tx) => {
      await rows.lock(tx, appId);
      const { name } = await ownedApp(tx, appId, caller);
      const invited = await users.findByEmail(tx, email);
      if (invited && (await rows.roleOf(tx, appId, invited.id))) throw new ApiError("already_member");
      const now = deps.clock.now();
      const open = await invitationRows.list(tx, appId, now.toISOString());
      if (open.length >= limits.invitations) throw new ApiError("wrong_state", { message: tooMany });
      const invitation = {
        id: deps.newId(),
        email,
        role: body.role,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + invitationMilliseconds).toISOString(),
      };
      await invitationRows.insert(tx, {
        ...invitation,
        appId,
        tokenHash: hashOf(token),
        invitedBy: caller.userId,
      });
      const target = invitation.id;
      await record(tx, { caller, address }, { action: "invitation.create", appId, target, label: email });
      const url = `${deps.settings.consoleUrl}/invitations/${token}`;
      const invitedByName = (await users.find(tx, caller.userId))?.name ?? null;
      const offer = { ...invitation, invitedBy: caller.email, invitedByName };
      await queueMail(deps, tx, {
        ...invitationMail({ ...offer, appName: name, url }),
        appId,
        subjectId: target,
      });
      // The mail proves that the invited person reads the mailbox. So the answer has no link if mail is sent.
      // (rule K28)
      return { ...offer, url: deps.settings.mailOut === undefined ? url : null };
    });
  };
}

const invitationMail = ({
  appName,
  url,
  email,
  invitedBy,
  role,
  expiresAt,
}: Invitation & { readonly appName: string; readonly url: string }) => ({
  kind: "invitation" as const,
  to: email,
  subject: `Invitation to work on ${appName}`,
  text: [
    `${invitedBy} invites you to work on ${appName}. Your role is ${role}.`,
    `Open this link to accept. You can use it once, within 7 days, and only for an account with the address ${email}:`,
    url,
    "If you did not expect this, you need not do anything.",
  ].join("\n\n"),
  sendBefore: new Date(expiresAt),
});

const tooMany = `An app has at most ${limits.invitations} open invitations. Withdraw one of them first.`;

/** Returns the same error for every reason, so that nobody can find out whether the link ever existed. */
const noOffer = ({ email }: ConsoleCaller): ApiError =>
  new ApiError("not_found", {
    message: `This link has no invitation for ${email}. It may be for another address, used, withdrawn, or older than 7 days. Ask for a new one.`,
  });
