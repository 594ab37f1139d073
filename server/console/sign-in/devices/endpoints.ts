import * as z from "zod/mini";
import { session } from "../../../../src/contract/console/console-session.ts";
import { endpoint } from "../../../../src/contract/endpoint.ts";
import { AuthorizeQuery, Registration } from "../../../../src/contract/sign-in.ts";
import { deviceSignInPaths } from "./paths.ts";

const decision = z.pick(AuthorizeQuery, { device: true, name: true, challenge: true });

/** What only a person before a page can do: these are no addresses of the API, but held to the same rules. */
export const tavern = {
  approve: endpoint({
    method: "POST",
    path: deviceSignInPaths.authorize,
    summary: "Approve a device: mints a code for it",
    auth: "session",
    body: decision,
    success: { status: 201, body: z.object({ code: z.string() }) },
    errors: [],
    repeatableSeconds: 300,
    answersSecret: true,
  }),
  refuse: endpoint({
    method: "POST",
    path: `${deviceSignInPaths.authorize}/refuse`,
    summary: "Refuse a device",
    auth: "session",
    body: decision,
    success: { status: 204 },
    errors: [],
  }),
  register: endpoint({
    method: "POST",
    path: deviceSignInPaths.signUp,
    summary: "Make an account and sign in to it",
    auth: "none",
    body: z.pick(Registration, { email: true, password: true }),
    success: { status: 201, body: session.create.success.body },
    errors: ["forbidden", "email_taken"],
    attempts: [{ limit: "registrationsByAddress", by: ["address"] }],
  }),
} as const;
