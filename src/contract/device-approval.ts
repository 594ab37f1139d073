import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { AuthorizeQuery, authorizePath } from "./sign-in.ts";

export const signUpPath = "/tavern/sign-up";

const decision = z.pick(AuthorizeQuery, { device: true, name: true, challenge: true });

/** Endpoints that only the device sign-in pages call. They are not part of the API, but follow its rules. */
export const deviceApproval = {
  approve: endpoint({
    method: "POST",
    path: authorizePath,
    summary: "Approve a device: mints a code for it",
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
