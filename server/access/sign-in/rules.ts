import { ApiError, type IntegrityReason, issuesOf, ownMessages } from "../../../src/contract/errors.ts";
import { isObject, valueAt } from "../../../src/contract/json.ts";
import { AuthorizeQuery, redirectSchemes } from "../../../src/contract/sign-in.ts";

export const codeLifetimeMilliseconds = 300_000;

export const tokenLifetimeDays = 90;

/** The fields of a stored sign-in code that decide whether a device may exchange it. */
interface SignInCode {
  readonly deviceId: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly replacedAt: string | null;
}

/**
 * The verdict on a code. `why` is written only to the log, because the device always gets the error `invalid_code`.
 */
type CodeVerdict = { readonly accepted: true } | { readonly accepted: false; readonly why: string };

/**
 * Decides whether a device may exchange a code. `presented.challenge` is computed from the verifier that the device has
 * sent. (rule S7)
 */
export function judgeCode(
  code: SignInCode | undefined,
  presented: { readonly deviceId: string; readonly challenge: string },
  now: Date,
): CodeVerdict {
  const refuse = (why: string): CodeVerdict => ({ accepted: false, why });

  if (!code) return refuse("unknown code");
  if (code.usedAt !== null) return refuse("used before");
  if (code.replacedAt !== null) return refuse("replaced by a newer code");
  if (code.expiresAt <= now.toISOString()) return refuse("expired");
  if (code.deviceId !== presented.deviceId) return refuse("presented by another device");
  if (code.challenge !== presented.challenge) return refuse("verifier does not match the challenge");
  return { accepted: true };
}

/** The tester app of this deployment. Devices sign in with it. */
interface OwnApp {
  readonly packageNames: readonly string[];
  /** The SHA-256 of the certificates that sign the app, in base64url without padding. */
  readonly certificates: readonly string[];
}

/** The sign-in to which the integrity token must belong. */
interface IntegrityAttempt {
  /** Whether a nonce or request hash belongs to this sign-in. */
  readonly isBound: (given: string) => boolean;
  readonly now: Date;
}

const longestAgeMilliseconds = 600_000;

/** How far Google's clock may be ahead of the server's clock. */
const skewMilliseconds = 300_000;

/**
 * Returns all reasons to refuse the payload of a Play Integrity token. The payload may have any shape.
 * (rule S13)
 */
export function judgeIntegrity(payload: unknown, app: OwnApp, attempt: IntegrityAttempt): IntegrityReason[] {
  if (!isObject(payload)) return ["app_not_recognized"];
  const reasons: IntegrityReason[] = [];
  if (!isDeviceSound(payload)) reasons.push("device_integrity_failed");
  if (!isAppRecognized(payload, app, attempt)) reasons.push("app_not_recognized");
  return reasons;
}

const isDeviceSound = (payload: object): boolean =>
  textsOf(valueAt(payload, "deviceIntegrity", "deviceRecognitionVerdict")).includes("MEETS_DEVICE_INTEGRITY");

/** Whether the token is recent, is bound to this sign-in, and comes from the tester app. (rule S12) */
function isAppRecognized(payload: object, app: OwnApp, { isBound, now }: IntegrityAttempt): boolean {
  const packageName = valueAt(payload, "requestDetails", "requestPackageName");
  return (
    isOneOf(packageName, app.packageNames) &&
    isOfThisExchange(payload, isBound) &&
    isRecent(valueAt(payload, "requestDetails", "timestampMillis"), now) &&
    !isTestingResponse(valueAt(payload, "testingDetails")) &&
    valueAt(payload, "appIntegrity", "appRecognitionVerdict") === "PLAY_RECOGNIZED" &&
    valueAt(payload, "appIntegrity", "packageName") === packageName &&
    isSignedByUs(valueAt(payload, "appIntegrity", "certificateSha256Digest"), app.certificates)
  );
}

/** Whether the token is for this sign-in. A classic request has a nonce, a standard request has a request hash. */
function isOfThisExchange(payload: object, isBound: (given: string) => boolean): boolean {
  const given = [
    valueAt(payload, "requestDetails", "nonce"),
    valueAt(payload, "requestDetails", "requestHash"),
  ].filter((value) => value !== undefined);
  return given.length > 0 && given.every((value) => typeof value === "string" && isBound(unpadded(value)));
}

/** Whether the token's time is recent. The time is text, because JSON has no 64-bit integers. */
function isRecent(timestamp: unknown, now: Date): boolean {
  if (typeof timestamp !== "string" || !/^\d{1,15}$/.test(timestamp)) return false;
  const age = now.getTime() - Number(timestamp);
  return age < longestAgeMilliseconds && age >= -skewMilliseconds;
}

/** Whether the token is a test response. Test responses do not describe the real device. */
function isTestingResponse(testing: unknown): boolean {
  if (testing === undefined) return false;
  const isTest = isObject(testing) ? valueAt(testing, "isTestingResponse") : true;
  return isTest !== undefined && isTest !== false;
}

function isSignedByUs(digests: unknown, certificates: readonly string[]): boolean {
  const given = textsOf(digests).map(unpadded);
  return given.length > 0 && given.every((digest) => certificates.includes(digest));
}

const isOneOf = (value: unknown, known: readonly string[]): boolean =>
  typeof value === "string" && known.includes(value);

/** Returns the value if it is an array of texts; otherwise an empty array. */
function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.filter((entry) => typeof entry === "string");
  return texts.length === value.length ? texts : [];
}

const unpadded = (base64url: string): string => base64url.replace(/={1,2}$/, "");

const freshMilliseconds = 10 * 60_000;

/**
 * Whether a sign-in is recent. Some actions need the password, or a recent sign-in if the account has no
 * password. (rule S31)
 */
export const isFresh = (signedInAt: string | undefined, now: Date): boolean =>
  signedInAt !== undefined && now.getTime() - Date.parse(signedInAt) < freshMilliseconds;

const browsers: readonly (readonly [RegExp, string])[] = [
  // The first pattern that matches is used, because most browsers also send the names of other browsers.
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.* Safari\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** How many characters of `User-Agent` are read. The patterns are slow for long texts; browsers send less. */
const longestRead = 500;

/**
 * Returns the name of a browser, such as `Firefox on Linux`. The header `User-Agent` itself is not stored.
 * (rule S22)
 */
export function browserName(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const beginning = userAgent.slice(0, longestRead);
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(beginning))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return system === undefined ? null : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The validated sign-in request of a device. */
export interface AuthorizeRequest extends AuthorizeQuery {
  readonly redirect: string;
}

const requestFields = ["device", "name", "challenge", "state"] as const;

/**
 * Reads the sign-in request of a device. Throws `bad_redirect` for a wrong redirect address, `bad_request` for
 * other faults. (rule S3)
 */
export function readAuthorizeRequest(
  given: URLSearchParams,
  redirectUrl: string | undefined,
): AuthorizeRequest {
  const [redirect = "", ...others] = given.getAll("redirect");
  if (others.length > 0 || !isRedirectTarget(redirect, redirectUrl)) throw new ApiError("bad_redirect");
  const twice = requestFields.filter((name) => given.getAll(name).length > 1);
  if (twice.length > 0) {
    const issues = twice.map((path) => ({ path, message: "must be given once" }));
    throw new ApiError("bad_request", { issues });
  }
  const parsed = AuthorizeQuery.safeParse(
    Object.fromEntries(requestFields.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))),
    ownMessages,
  );
  if (!parsed.success) throw new ApiError("bad_request", { issues: issuesOf(parsed.error) });
  return { ...parsed.data, redirect };
}

/** Returns the request as a query string. The string contains no line breaks, which browsers would change. */
export function deviceRequestQuery({ redirect, device, name, challenge, state }: AuthorizeRequest): string {
  const query = new URLSearchParams({ redirect, device, name, challenge });
  if (state !== undefined) query.set("state", state);
  return query.toString();
}

/** Whether a code may be sent to `given`: to `redirectUrl`, or to an allowed address of an app. (rule S4) */
export function isRedirectTarget(given: string, redirectUrl: string | undefined): boolean {
  if (given.length > longestRedirect) return false;
  return given === redirectUrl || isAppTarget(given);
}

/** The answer that the app which started the sign-in gets: a code, or an error. */
export type RedirectAnswer = { readonly code: string } | { readonly error: "access_denied" };

/** Adds the answer to the query of the target. `state` is the value that the app sent. (rule S5) */
export function redirectAddress(target: string, answer: RedirectAnswer, state: string | undefined): string {
  const fields = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return target + separatorFor(target) + query;
}

/**
 * Returns the source for `form-action` (Content Security Policy). Without this source, the browser does not
 * follow the redirect.
 */
export function formActionOf(target: string): string {
  const { protocol, origin, hostname } = new URL(target);
  // A Content Security Policy cannot contain IPv6 addresses.
  return isOfSite(protocol) && !hostname.startsWith("[") ? origin : protocol;
}

/** Returns a name of the redirect target for people: the host of a site, or the scheme of an app. */
export function targetName(target: string): string {
  const { protocol, host } = new URL(target);
  return isOfSite(protocol) ? host : `the app that opens ${protocol}// addresses`;
}

const isOfSite = (protocol: string): boolean => protocol === "https:" || protocol === "http:";

const longestRedirect = 2_000;

const schemes: ReadonlySet<string> = new Set(redirectSchemes);

// Unlike RFC 3986, the pattern excludes users, ports and fragments, and characters that browsers read
// differently.
const appForm = /^([a-z]+:)\/\/[A-Za-z0-9._-]*(?:\/[\w.~:@!$&'()*+,;=%/-]*)?(\?[\w.~:@!$&'()*+,;=%/?-]*)?$/;

function isAppTarget(given: string): boolean {
  const [, scheme = "", query = ""] = appForm.exec(given) ?? [];
  return schemes.has(scheme) && URL.canParse(given) && !containsAnswer(query);
}

/** Whether `query` contains a code or an error. The app could accept an attacker's code from this address. */
function containsAnswer(query: string): boolean {
  const fields = new URLSearchParams(query);
  return fields.has("code") || fields.has("error");
}

function separatorFor(target: string): string {
  if (!target.includes("?")) return "?";
  return /[?&]$/.test(target) ? "" : "&";
}

const stepMilliseconds = 30_000;

type GivenCode =
  | { readonly kind: "totp"; readonly digits: string }
  | { readonly kind: "recovery"; readonly code: string };

/**
 * Six digits are an authenticator code, other text is a recovery code. Ignores white space, hyphens and letter
 * case. (rule S24)
 */
export function givenCode(text: string): GivenCode {
  const typed = text.replace(/[\s-]/g, "").toLowerCase();
  return /^\d{6}$/.test(typed) ? { kind: "totp", digits: typed } : { kind: "recovery", code: typed };
}

/**
 * Returns the accepted time steps. Refuses steps up to `lastStep`, because their codes were used or are older.
 * (rule S23)
 */
export function acceptedSteps(now: Date, lastStep: number): number[] {
  const present = Math.floor(now.getTime() / stepMilliseconds);
  return [present - 1, present, present + 1].filter((step) => step > lastStep);
}
