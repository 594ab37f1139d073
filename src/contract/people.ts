import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { User } from "./console-session.ts";
import { endpoint, roles } from "./endpoint.ts";
import { instant, memberName, omittable, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** The person that a request is about. The e-mail address is in the body, because proxies log paths and queries. */
const Person = z.object({ email: text(3, limits.email) });

const count = z.int();

/** The data about a person that the server found. */
const FoundPerson = z.object({
  /** Threads whose first report the person sent. */
  threads: count,
  /** Messages of the person, such as repeated reports and answers. */
  messages: count,
  /** Mails to the person, and stored data about the person's e-mail address. */
  mails: count,
  invitations: count,
  /** Slots of the person in tests that have ended. */
  seats: count,
  /** Answers that the server has stored for repeated requests. */
  answers: count,
  audit: count,
  /** Texts of other people that contain the person's e-mail address. */
  texts: count,
});

/** The receipt of an erasure. It never contains the person's e-mail address. */
export const Erasure = z.object({
  id: uuid,
  /** `stopped`: the server lost its secret, or crashed at each attempt. Request the erasure again. */
  status: z.enum(["running", "done", "stopped"]),
  /** A keyed hash of the e-mail address. The endpoint `check` compares it with the hash of an address. */
  personHash: z.string(),
  counts: z.extend(FoundPerson, {
    /** First reports whose text was removed. Their threads stay, because they contain reports of other people. */
    reports: count,
    files: count,
  }),
  /** The owner who requested the erasure. */
  by: z.string(),
  createdAt: instant,
  finishedAt: z.nullable(instant),
  /** The time until which older backups still contain data about the person. Null if it is unknown. */
  backupsUntil: z.nullable(instant),
});

export type Erasure = z.output<typeof Erasure>;

const Preview = z.object({
  counts: FoundPerson,
  /** Whether the server searched all data. If not, the counts may be too low. */
  complete: z.boolean(),
  /** Why the person cannot be erased now. Null if the person can be erased. */
  refusal: z.nullable(z.string()),
});

export type Preview = z.output<typeof Preview>;

const erasureParams = z.object({ erasureId: uuid });

const peoplePath = "/api/v1/console/people";

export const people = {
  preview: endpoint({
    method: "POST",
    path: `${peoplePath}/preview`,
    summary: "Count the data about a person in your own apps; changes nothing",
    auth: "session",
    role: "owner",
    body: Person,
    success: { status: 200, body: Preview },
    errors: [],
    example: { request: { email: "grace@example.org" } },
  }),
  erase: endpoint({
    method: "POST",
    path: `${peoplePath}/erase`,
    summary: "Erase a person in all apps that you own; the work continues in the background",
    auth: "session",
    role: "owner",
    body: Person,
    success: { status: 201, body: Erasure },
    errors: ["wrong_state"],
    example: { request: { email: "grace@example.org" } },
  }),
  list: endpoint({
    method: "GET",
    path: `${peoplePath}/erasures`,
    summary: "List your newest receipts of erasures",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(Erasure) }) },
    errors: [],
  }),
  read: endpoint({
    method: "GET",
    path: `${peoplePath}/erasures/:erasureId`,
    summary: "Read the receipt of an erasure",
    auth: "session",
    role: "account",
    params: erasureParams,
    success: { status: 200, body: Erasure },
    errors: ["not_found"],
  }),
  check: endpoint({
    method: "POST",
    path: `${peoplePath}/erasures/:erasureId/check`,
    summary: "Check whether the receipt of an erasure belongs to an e-mail address",
    auth: "session",
    role: "account",
    params: erasureParams,
    body: Person,
    success: { status: 200, body: z.object({ matches: z.boolean() }) },
    errors: ["not_found"],
    example: { request: { email: "grace@example.org" } },
  }),
} as const;

export const account = {
  update: endpoint({
    method: "PATCH",
    path: "/api/v1/console/me",
    summary: "Change the name that other members see; null removes it",
    auth: "session",
    role: "account",
    body: z.object({ name: z.nullable(memberName) }),
    success: { status: 200, body: z.object({ user: User }) },
    errors: [],
    example: { request: { name: "Ada Byron" } },
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/v1/console/account/delete",
    summary: "Delete your account permanently, with its tokens, devices and memberships",
    auth: "session",
    role: "account",
    body: z.object({
      /** The e-mail address of the account, typed again as a confirmation. */
      email: text(3, limits.email),
      /** Needed if the account has a password. */
      currentPassword: z.optional(z.string().check(z.maxLength(limits.password.max))),
      /** A code of the authenticator app or a recovery code. Needed if the account has a second factor. */
      code: z.optional(text(1, limits.factorCode)),
    }),
    success: { status: 204 },
    errors: [
      ...(["invalid_credentials", "second_factor_required", "invalid_second_factor"] as const),
      ...(["last_owner", "wrong_state", "rate_limited"] as const),
    ],
    example: {
      request: { email: "ada@example.org", currentPassword: "a long passphrase of her own" },
    },
  }),
} as const;

const RoleName = z.enum(roles);

/** A person with a role in an app. */
export const Member = z.object({
  userId: uuid,
  email: z.string(),
  /** The name that the person chose. Null if the person has chosen no name. */
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

const invitationAttempts = [
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
      "Invite a person with a link that works once, within 7 days and only for this e-mail address; the server mails the link, or else this answer contains it",
    auth: "session",
    role: "owner",
    params: appParams,
    body: z.object({ email: text(3, limits.email), role: RoleName }),
    success: {
      status: 201,
      /**
       * The link of the invitation. Null if the link was mailed, because then only the receiver may know the
       * link.
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
    summary: "Withdraw an invitation; its link stops working immediately",
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
    attempts: invitationAttempts,
  }),
  accept: endpoint({
    method: "POST",
    path: "/api/v1/console/invitations/:token/accept",
    summary:
      "Accept an invitation to an app; works once, and only for the account with the invited e-mail address",
    auth: "session",
    role: "account",
    params: tokenParams,
    /** The name that the other members see. Without this field, the name of the account does not change. */
    body: z.object({ name: omittable(memberName) }),
    success: { status: 200, body: z.object({ appId: uuid, role: RoleName }) },
    errors: ["not_found", "email_unverified"],
    attempts: invitationAttempts,
    example: { request: { name: "Grace Hopper" } },
  }),
} as const;
