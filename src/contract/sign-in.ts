import * as z from "zod/mini";
import { connectionScopes, endpoint } from "./endpoint.ts";
import { grant } from "./example-values.ts";
import { instant, label, optionalLabel, optionalText, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { challengePattern, verifierPattern } from "./pkce.ts";

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
    summary: "Sign a device out; its token stops working immediately",
    auth: "session",
    role: "account",
    params: z.object({ deviceId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;

export const signUpPath = "/tavern/sign-up";

const Challenge = z
  .string()
  .check(z.regex(challengePattern, "must be base64url of a SHA-256, 43 characters"));

const deviceId = text(1, limits.deviceId);

/** The query of the authorize page, without `redirect`. The server checks `redirect` before it parses this query. */
export const AuthorizeQuery = z.object({
  device: deviceId,
  name: label(limits.deviceName).check(z.minLength(1, "must not be empty")),
  challenge: Challenge,
  state: z.optional(z.string().check(z.maxLength(1_000))),
});
export type AuthorizeQuery = z.output<typeof AuthorizeQuery>;

const deviceDecision = z.pick(AuthorizeQuery, { device: true, name: true, challenge: true });

/** The page where a browser sign-in begins. It is no endpoint. (rule S3) */
export const authorizePath = "/tavern/authorize";

/** Endpoints that only the device sign-in pages call. They are not part of the API, but follow its rules. */
export const deviceApproval = {
  approve: endpoint({
    method: "POST",
    path: authorizePath,
    summary: "Approve a device, and create a code for it",
    auth: "session",
    role: "account",
    body: deviceDecision,
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
    body: deviceDecision,
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

/** The page that shows the sign-in code for a terminal to which a browser cannot redirect. */
export const codePath = "/tavern/code";

export const redirectSchemes = ["tavern:", "innkeeptavern:"] as const;

/** An IANA time zone that this version of Node supports. */
export const timeZone = text(1, 100).check(
  z.refine((name) => name === "" || isTimeZone(name), "must be an IANA time zone such as Europe/London"),
);

const isAccountTimeZone = (name: string): boolean => fixedOffset(name) === name || isTimeZone(name);

/** The time zone of an account: an IANA name, or a fixed offset such as `+03:00`. */
export const accountTimeZone = z.string().check(
  z.overwrite((given) => fixedOffset(given) ?? given.trim()),
  z.refine((name) => isAccountTimeZone(name), "must be an IANA time zone such as Europe/London"),
  z.meta({ maxLength: 100 }),
);

/** The time zone of a device at a sign-in. An unknown zone becomes UTC, so that the sign-in succeeds. (rule S20) */
const deviceTimeZone = z.optional(
  z.nullable(
    z.string().check(
      z.overwrite((given) => {
        const name = fixedOffset(given) ?? given.trim();
        return name === "" || isAccountTimeZone(name) ? name : "UTC";
      }),
    ),
  ),
);

/** A push token of a device at a sign-in. An unusable token is ignored. */
const devicePushToken = z.optional(
  z.nullable(
    z.string().check(
      z.overwrite((given) => {
        const token = given.trim();
        return token.length <= limits.pushToken && token.isWellFormed() && !token.includes("\0") ? token : "";
      }),
    ),
  ),
);

export const Profile = z.object({ timezone: z.string(), isTester: z.boolean() });

export type Profile = z.output<typeof Profile>;

/** A device token, shown only once, and its scopes. */
export const DeviceGrant = z.object({
  token: z.string(),
  expiresAt: instant,
  scopes: z.array(z.string()),
  profile: Profile,
});

export type DeviceGrant = z.output<typeof DeviceGrant>;

/** The optional fields in which a device describes itself. */
const deviceFields = {
  timezone: deviceTimeZone,
  pushToken: devicePushToken,
};

export const Exchange = z.object({
  code: z.string().check(z.minLength(1, "must not be empty"), z.maxLength(200)),
  verifier: z
    .string()
    .check(z.regex(verifierPattern, "must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~")),
  deviceId,
  integrityToken: z.optional(z.nullable(z.string())),
  ...deviceFields,
});

export type Exchange = z.output<typeof Exchange>;

const email = text(3, limits.email).check(z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"));

const Account = z.object({
  email,
  password: z.string().check(z.minLength(1, "must not be empty"), z.maxLength(limits.password.max)),
  deviceId,
  deviceName: optionalLabel(limits.deviceName),
  integrityToken: z.optional(z.nullable(z.string())),
  ...deviceFields,
});

export const Registration = z.extend(Account, {
  password: z
    .string()
    .check(
      z.minLength(limits.password.min, `must have at least ${limits.password.min} characters`),
      z.maxLength(limits.password.max),
    ),
});

/** The number of seconds for which a sign-in code is valid. Answers with a token are stored as long. */
const grantSeconds = 300;

const exampleAccount = {
  email: "priya@example.org",
  password: "a long passphrase of her own",
  deviceId: "pixel-8-priya",
  deviceName: "Priya's Pixel",
  timezone: "Europe/London",
};

export const signIn = {
  exchange: endpoint({
    method: "POST",
    path: "/api/v1/testing/auth/exchange",
    summary: "Exchange a sign-in code and its verifier for a device token",
    auth: "none",
    body: Exchange,
    success: { status: 201, body: DeviceGrant },
    errors: ["invalid_code", "integrity_failed", "device_taken"],
    attempts: [
      { limit: "exchangeByDevice", by: ["body.deviceId"] },
      { limit: "exchangeByAddress", by: ["address"] },
    ],
    repeatableBy: ["code", "deviceId", "verifier"],
    repeatableSeconds: grantSeconds,
    answersSecret: true,
    example: {
      request: {
        code: "k3Vt0wq…",
        verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        deviceId: "pixel-8-priya",
        timezone: "Europe/London",
      },
      answer: grant,
    },
  }),
  await: endpoint({
    method: "POST",
    path: "/api/v1/testing/auth/await",
    summary:
      "Wait for the sign-in code of a device to which no browser can redirect; the status is 202 until a person has approved the device",
    auth: "none",
    body: z.object({
      deviceId,
      challenge: Challenge,
      wait: z.optional(z.int().check(z.gte(0), z.lte(limits.waitSeconds))),
    }),
    success: { status: 200, body: z.object({ code: z.string() }) },
    pending: true,
    errors: ["access_denied"],
    attempts: [
      { limit: "awaitByDevice", by: ["body.deviceId"] },
      { limit: "awaitByAddress", by: ["address"] },
    ],
    answersSecret: true,
    example: {
      request: {
        deviceId: "pixel-8-priya",
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        wait: 55,
      },
      answer: { code: "k3Vt0wq…" },
    },
  }),
  register: endpoint({
    method: "POST",
    path: "/api/v1/testing/auth/register",
    summary: "Create an account with a password, and sign in on the device",
    auth: "none",
    body: Registration,
    success: { status: 201, body: DeviceGrant },
    errors: ["forbidden", "integrity_failed", "email_taken", "device_taken"],
    attempts: [{ limit: "registrationsByAddress", by: ["address"] }],
    repeatableBy: ["email", "deviceId"],
    repeatableSeconds: grantSeconds,
    answersSecret: true,
    successor: authorizePath,
    example: { request: exampleAccount, answer: grant },
  }),
  token: endpoint({
    method: "POST",
    path: "/api/v1/testing/auth/token",
    summary: "Sign a device in with an e-mail address and a password",
    auth: "none",
    body: z.extend(Account, {
      /** Needed if the account has a second factor. */
      code: optionalText(limits.factorCode),
    }),
    success: { status: 201, body: DeviceGrant },
    errors: [
      ...(["invalid_credentials", "second_factor_required", "invalid_second_factor"] as const),
      ...(["integrity_failed", "device_taken", "rate_limited"] as const),
    ],
    repeatableBy: ["email", "password", "deviceId"],
    repeatableSeconds: grantSeconds,
    answersSecret: true,
    successor: authorizePath,
    example: { request: exampleAccount, answer: grant },
  }),
} as const;

/** Returns `+03:00` for `GMT+03:00`, `UTC+3` and `+0300`; undefined for any other text. */
function fixedOffset(given: string): string | undefined {
  const form = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(given.trim());
  const [, sign = "", hours = "", minutes = "00"] = form ?? [];
  if (!form || Number(hours) > 18) return undefined;
  const offset = `${hours.padStart(2, "0")}:${minutes}`;
  return offset === "00:00" ? "UTC" : sign + offset;
}

function isTimeZone(name: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "" &&
      !/^[+-]/.test(name)
    );
  } catch {
    return false;
  }
}
