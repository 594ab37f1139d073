import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint, roles } from "./endpoint.ts";
import { instant, memberName, omittable, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

const RoleName = z.enum(roles);

/** A person with a role in an app. */
export const Member = z.object({
  userId: uuid,
  email: z.string(),
  /** The name that the person chose. Null if there is none. */
  name: z.nullable(z.string()),
  role: RoleName,
  createdAt: instant,
});
export type Member = z.output<typeof Member>;

/** An invitation that nobody has accepted yet. */
export const Invitation = z.object({
  id: uuid,
  email: z.string(),
  role: RoleName,
  invitedBy: z.string(),
  invitedByName: z.nullable(z.string()),
  createdAt: instant,
  expiresAt: instant,
});
export type Invitation = z.output<typeof Invitation>;

const memberParams = z.extend(appParams, { userId: uuid });
const invitationParams = z.extend(appParams, { invitationId: uuid });

const membersPath = "/api/v1/console/apps/:appId/members";
const invitationsPath = "/api/v1/console/apps/:appId/invitations";

export const members = {
  list: endpoint({
    method: "GET",
    path: membersPath,
    summary: "List the members of an app",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(Member) }) },
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PATCH",
    path: `${membersPath}/:userId`,
    summary: "Change the role of a member",
    auth: "session",
    role: "owner",
    params: memberParams,
    body: z.object({ role: RoleName }),
    success: { status: 200, body: Member },
    errors: ["not_found", "last_owner"],
    example: { request: { role: "maintainer" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: `${membersPath}/:userId`,
    summary: "Remove a member; every member may leave the app",
    auth: "session",
    role: "viewer",
    params: memberParams,
    success: { status: 204 },
    errors: ["not_found", "last_owner"],
  }),
} as const;

/** The secret part of the link of an invitation. */
const tokenParams = z.object({ token: text(1, 200) });
const attempts = [
  { limit: "invitationsByAccount", by: ["account"] },
  { limit: "invitationsByAddress", by: ["address"] },
] as const;

/** The data of an invitation for a person who opens its link. */
export const Offer = z.object({
  app: z.object({ id: uuid, name: z.string() }),
  role: RoleName,
  invitedBy: z.string(),
  invitedByName: z.nullable(z.string()),
  expiresAt: instant,
});
export type Offer = z.output<typeof Offer>;

export const invitations = {
  list: endpoint({
    method: "GET",
    path: invitationsPath,
    summary: "List the invitations that nobody has accepted yet",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(Invitation) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: invitationsPath,
    summary:
      "Invite a person by a link, which works once, for 7 days and for this e-mail address; it is shown only once, or sent by mail",
    auth: "session",
    role: "owner",
    params: appParams,
    body: z.object({ email: text(3, limits.email), role: RoleName }),
    success: {
      status: 201,
      /**
       * The link. Null if the server mails it. Then only a person who can read the mail of that address gets the link.
       */
      body: z.extend(Invitation, { url: z.nullable(z.string()) }),
    },
    errors: ["not_found", "already_member", "wrong_state"],
    attempts: [{ limit: "newInvitations", by: ["account"] }],
    answersSecret: true,
    example: { request: { email: "grace@example.org", role: "viewer" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: `${invitationsPath}/:invitationId`,
    summary: "Withdraw an invitation; its link stops working at once",
    auth: "session",
    role: "owner",
    params: invitationParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/console/invitations/:token",
    summary: "Read what an invitation offers to your account",
    auth: "session",
    role: "account",
    params: tokenParams,
    success: { status: 200, body: Offer },
    errors: ["not_found", "email_unverified"],
    attempts,
  }),
  accept: endpoint({
    method: "POST",
    path: "/api/v1/console/invitations/:token/accept",
    summary:
      "Accept an invitation to an app; works once, and only for the account with the invited e-mail address",
    auth: "session",
    role: "account",
    params: tokenParams,
    /** The name by which the other members see the person. Without it, the name does not change. */
    body: z.object({ name: omittable(memberName) }),
    success: { status: 200, body: z.object({ appId: uuid, role: RoleName }) },
    errors: ["not_found", "email_unverified"],
    attempts,
    example: { request: { name: "Grace Hopper" } },
  }),
} as const;
