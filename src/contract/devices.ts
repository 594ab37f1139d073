import * as z from "zod/mini";
import { connectionScopes, endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { challengePattern } from "./pkce.ts";
import { AuthorizeQuery, authorizePath } from "./sign-in.ts";

/** A device on which a person is signed in. */
export const Device = z.object({
  id: uuid,
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: z.nullable(instant),
});

export type Device = z.output<typeof Device>;

export const devices = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/devices",
    summary: "List the devices that are signed in to this account",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(Device) }) },
    errors: [],
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/devices/:deviceId",
    summary: "Sign a device out; its token stops working at once",
    auth: "session",
    role: "account",
    params: z.object({ deviceId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;

export const signUpPath = "/tavern/sign-up";

const decision = z.pick(AuthorizeQuery, { device: true, name: true, challenge: true });

/** Endpoints that only the device sign-in pages call. They are not part of the API, but follow its rules. */
export const deviceApproval = {
  approve: endpoint({
    method: "POST",
    path: authorizePath,
    summary: "Approve a device, and create a code for it",
    auth: "session",
    role: "account",
    body: decision,
    success: { status: 201, body: z.object({ code: z.string() }) },
    errors: [],
    repeatableSeconds: 300,
    answersSecret: true,
  }),
  refuse: endpoint({
    method: "POST",
    path: `${authorizePath}/refuse`,
    summary: "Refuse a device",
    auth: "session",
    role: "account",
    body: decision,
    success: { status: 204 },
    errors: [],
  }),
} as const;

/** The page on which a person allows an agent to connect. */
export const consentPath = "/oauth/authorize";

/** The endpoint that only the consent page calls. It is not part of the API, but follows its rules. */
export const connectionConsent = {
  allow: endpoint({
    method: "POST",
    path: consentPath,
    summary: "Allow an agent to connect, and create a code for it",
    auth: "session",
    role: "owner",
    body: z.object({
      clientId: text(1, 500),
      clientName: text(1, limits.label),
      redirect: text(1, limits.url),
      challenge: z.string().check(z.regex(challengePattern)),
      appId: z.nullable(uuid),
      scopes: z.array(z.enum(connectionScopes)),
    }),
    success: { status: 201, body: z.object({ code: z.string() }) },
    errors: ["not_found"],
    repeatableSeconds: 300,
    answersSecret: true,
  }),
} as const;
