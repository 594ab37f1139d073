import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** A browser or program in which a person is signed in to the console. */
export const ConsoleSession = z.object({
  id: uuid,
  /** The browser and its operating system. Null if the browser did not name them at the sign-in. */
  browser: z.nullable(z.string()),
  createdAt: instant,
  /** The time of the last request, accurate to the hour. */
  lastUsedAt: z.nullable(instant),
  expiresAt: instant,
  /** Whether this request was sent in this session. */
  current: z.boolean(),
});

export type ConsoleSession = z.output<typeof ConsoleSession>;

export const consoleSessions = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/sessions",
    summary: "List the console sessions of your account, newest first",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(ConsoleSession) }) },
    errors: [],
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/sessions/:sessionId",
    summary: "End a console session of your account",
    auth: "session",
    role: "account",
    params: z.object({ sessionId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
  removeOthers: endpoint({
    method: "DELETE",
    path: "/api/v1/console/sessions",
    summary: "End all console sessions of your account except this one",
    auth: "session",
    role: "account",
    success: { status: 204 },
    errors: [],
  }),
} as const;

/** Bytes in base64url, as browsers send them. */
const bytes = z.string().check(z.regex(/^[\w-]+$/, "must be base64url"), z.maxLength(limits.passkeyBytes));

/** The encrypted state of a passkey request. The client sends it back once, within ten minutes. */
const ceremony = z.string().check(z.minLength(1), z.maxLength(limits.signInStep));

/** The answer of an authenticator. It proves that the authenticator has a passkey. */
export const PasskeyProof = z.object({
  ceremony,
  id: bytes,
  clientDataJSON: bytes,
  authenticatorData: bytes,
  signature: bytes,
});

export type PasskeyProof = z.output<typeof PasskeyProof>;

/** The answer of an authenticator that has created a passkey. */
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

/** `options` is the argument of `navigator.credentials.get`, with bytes in base64url. */
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

/** `options` is the argument of `navigator.credentials.create`, with bytes in base64url. */
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

/** Six digits of an authenticator app, or a recovery code. */
export const factorCode = text(1, limits.factorCode);

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
    summary: "Get the options that a browser needs to create a passkey; the second factor must be on",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: PasskeyCreation },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
    example: { request: { code: "287082" } },
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/passkeys",
    summary: "Store the passkey that an authenticator has created",
    auth: "session",
    role: "account",
    body: NewPasskey,
    success: { status: 201, body: Passkey },
    errors: ["invalid_second_factor", "wrong_state"],
    example: {
      request: {
        ceremony: "dGhlIHNlYWxlZCBxdWVzdGlvbg==",
        name: "Phone",
        id: "QSBwYXNza2V5",
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "o2NmbXRkbm9uZQ",
        transports: ["internal"],
      },
    },
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
    example: { request: { code: "287082" } },
  }),
} as const;

export const SecondFactor = z.object({
  /** The authenticator app. Null if the account has no second factor. */
  totp: z.nullable(z.object({ createdAt: instant })),
  /** How many recovery codes are unused. */
  recoveryCodesLeft: z.int(),
});

/** New recovery codes, which are shown only once. Each code works once. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const secondFactor = {
  find: endpoint({
    method: "GET",
    path: "/api/v1/console/second-factor",
    summary: "Read whether your account has a second factor",
    auth: "session",
    role: "account",
    success: { status: 200, body: SecondFactor },
    errors: [],
  }),
  begin: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/totp",
    summary: "Create the secret for an authenticator app; it is not active until you confirm it",
    auth: "session",
    role: "account",
    body: z.object({
      /** Required if the account has a password. */
      currentPassword: z.optional(z.string().check(z.maxLength(limits.password.max))),
    }),
    success: {
      status: 201,
      /** `secret` is in base32. `uri` contains it for authenticator apps, which read it from a QR code. */
      body: z.object({ secret: z.string(), uri: z.string() }),
    },
    errors: ["invalid_credentials", "wrong_state", "rate_limited"],
    answersSecret: true,
    example: { request: { currentPassword: "a long passphrase of her own" } },
  }),
  confirm: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/totp/confirm",
    summary: "Turn the second factor on with a code of the app, and end all other sessions",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: RecoveryCodes },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
    example: { request: { code: "287082" } },
  }),
  renewRecoveryCodes: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/recovery-codes",
    summary: "Replace your recovery codes with ten new ones",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 201, body: RecoveryCodes },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    answersSecret: true,
    example: { request: { code: "287082" } },
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/v1/console/second-factor/remove",
    summary: "Turn the second factor off",
    auth: "session",
    role: "account",
    body: z.object({ code: factorCode }),
    success: { status: 204 },
    errors: ["invalid_second_factor", "wrong_state", "rate_limited"],
    example: { request: { code: "kfx3-97hq-m2wd-bc8t" } },
  }),
} as const;

/** What the console opens after a thread was resolved or archived: the next thread, the same thread, or the list. */
export const afterResolvings = ["next", "stay", "list"] as const;

/** The preferences of one person for the console. */
export const Preferences = z.object({
  /** Whether the console has keyboard shortcuts that are single keys. */
  keys: z.boolean(),
  afterResolving: z.enum(afterResolvings),
});

export type Preferences = z.output<typeof Preferences>;

const preferencesPath = "/api/v1/console/preferences";

export const preferences = {
  read: endpoint({
    method: "GET",
    path: preferencesPath,
    summary: "Read your preferences for the console",
    auth: "session",
    role: "account",
    success: { status: 200, body: Preferences },
    errors: [],
  }),
  update: endpoint({
    method: "PATCH",
    path: preferencesPath,
    summary: "Change your preferences for the console",
    auth: "session",
    role: "account",
    body: z.partial(Preferences),
    success: { status: 200, body: Preferences },
    errors: [],
    example: { request: { keys: false }, answer: { keys: false, afterResolving: "next" } },
  }),
} as const;
