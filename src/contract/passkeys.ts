import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { factorCode } from "./sign-in-methods.ts";

/** Bytes in base64url, as browsers give them. */
const bytes = z.string().check(z.regex(/^[\w-]+$/, "must be base64url"), z.maxLength(limits.passkeyBytes));

/** What the server remembers of a question to an authenticator, sealed. It is good once, for ten minutes. */
const ceremony = z.string().check(z.minLength(1), z.maxLength(limits.signInStep));

/** What an authenticator answers to prove that it has a passkey. */
export const PasskeyProof = z.object({
  ceremony,
  id: bytes,
  clientDataJSON: bytes,
  authenticatorData: bytes,
  signature: bytes,
});
export type PasskeyProof = z.output<typeof PasskeyProof>;

/** What an authenticator answers when it has made a passkey. */
export const NewPasskey = z.object({
  ceremony,
  name: text(1, limits.label),
  id: bytes,
  clientDataJSON: bytes,
  attestationObject: bytes,
  transports: z.optional(z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))),
});
export type NewPasskey = z.output<typeof NewPasskey>;

const Descriptor = z.object({
  type: z.literal("public-key"),
  id: z.string(),
  transports: z.array(z.string()),
});

/** For `navigator.credentials.get`, with bytes in base64url. */
export const PasskeyRequest = z.object({
  ceremony: z.string(),
  options: z.object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.string(),
    allowCredentials: z.array(Descriptor),
  }),
});
export type PasskeyRequest = z.output<typeof PasskeyRequest>;

/** For `navigator.credentials.create`, with bytes in base64url. */
export const PasskeyCreation = z.object({
  ceremony: z.string(),
  options: z.object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
    timeout: z.int(),
    attestation: z.string(),
    authenticatorSelection: z.object({ residentKey: z.string(), userVerification: z.string() }),
    excludeCredentials: z.array(Descriptor),
  }),
});
export type PasskeyCreation = z.output<typeof PasskeyCreation>;

export const Passkey = z.object({
  id: uuid,
  name: z.string(),
  createdAt: instant,
  lastUsedAt: z.nullable(instant),
});
export type Passkey = z.output<typeof Passkey>;

export const passkeys = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/passkeys",
    summary: "List the passkeys of your second factor",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(Passkey) }) },
    errors: [],
  }),
  begin: endpoint({
    method: "POST",
    path: "/api/v1/console/passkeys/begin",
    summary: "Get what an authenticator needs to make a passkey; the second factor must be on",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: PasskeyCreation },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/passkeys",
    summary: "Store the passkey that an authenticator has made",
    auth: "session",
    role: "account",
    body: NewPasskey,
    success: { status: 201, body: Passkey },
    errors: ["invalid_second_factor", "wrong_state"],
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/v1/console/passkeys/:passkeyId/remove",
    summary: "Remove a passkey",
    auth: "session",
    role: "account",
    params: z.object({ passkeyId: uuid }),
    body: z.object({ code: factorCode }),
    success: { status: 204 },
    errors: ["not_found", "invalid_second_factor", "wrong_state", "rate_limited"],
  }),
} as const;
