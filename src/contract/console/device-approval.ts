import * as z from "zod/mini";
import { endpoint } from "../endpoint.ts";
import { AuthorizeQuery, authorizePath, Registration } from "../sign-in.ts";
import { session } from "./console-session.ts";

export const signUpPath = "/tavern/sign-up";

const decision = z.pick(AuthorizeQuery, { device: true, name: true, challenge: true });

/** Endpoints that only the device sign-in pages call. They are not part of the API, but follow its rules. */
export const deviceApproval = {
  approve: endpoint({
    method: "POST",
    path: authorizePath,
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
    path: `${authorizePath}/refuse`,
    summary: "Refuse a device",
    auth: "session",
    body: decision,
    success: { status: 204 },
    errors: [],
  }),
  register: endpoint({
    method: "POST",
    path: signUpPath,
    summary: "Make an account and sign in to it",
    auth: "none",
    body: z.pick(Registration, { email: true, password: true }),
    success: { status: 201, body: session.create.success.body },
    errors: ["forbidden", "email_taken"],
    attempts: [{ limit: "registrationsByAddress", by: ["address"] }],
  }),
} as const;
