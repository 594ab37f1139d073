import * as z from "zod/mini";
import { connectionScopes, endpoint } from "./endpoint.ts";
import { text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { challengePattern } from "./pkce.ts";

/** The page on which a person allows an agent to connect. */
export const consentPath = "/oauth/authorize";

/** The endpoint that only the consent page calls. It is no part of the API, but follows its rules. */
export const connectionConsent = {
  allow: endpoint({
    method: "POST",
    path: consentPath,
    summary: "Allow an agent to connect: mints a code for it",
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
