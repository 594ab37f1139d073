import { ApiError, type IntegrityReason } from "../../../src/contract/errors.ts";
import { issuesOf, ownMessages } from "../../../src/contract/issues.ts";
import { isObject, valueAt } from "../../../src/contract/json.ts";
import { AuthorizeQuery, redirectSchemes } from "../../../src/contract/sign-in.ts";

export const codeLifetimeMilliseconds = 300_000;

export const tokenLifetimeDays = 90;

/** A sign-in code as it was created. */
interface SignInCode {
  readonly deviceId: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly replacedAt: string | null;
}

/** The device that presents a code, and the challenge of its verifier. */
interface Presentation {
  readonly deviceId: string;
  readonly challenge: string;
}

/** `why` is for the log. To the device all refusals are the same `invalid_code`. */
type CodeVerdict = { readonly accepted: true } | { readonly accepted: false; readonly why: string };

/** Decides whether a code may be exchanged. (rule S7) */
export function judgeCode(code: SignInCode | undefined, shown: Presentation, now: Date): CodeVerdict {
  const refuse = (why: string): CodeVerdict => ({ accepted: false, why });

  if (!code) return refuse("unknown code");
  if (code.usedAt !== null) return refuse("used before");
  if (code.replacedAt !== null) return refuse("replaced by a newer code");
  if (code.expiresAt <= now.toISOString()) return refuse("expired");
  if (code.deviceId !== shown.deviceId) return refuse("presented by another device");
  if (code.challenge !== shown.challenge) return refuse("verifier does not match the challenge");
  return { accepted: true };
}

/** The deployment's own app. */
interface OwnApp {
  readonly packageNames: readonly string[];
  /** SHA-256 of the certificates that sign it, base64url without padding. */
  readonly certificates: readonly string[];
}

/** The exchange for which a verdict must hold. */
interface IntegrityAttempt {
  /** Whether a nonce or request hash belongs to this exchange. */
  readonly isBound: (given: string) => boolean;
  readonly now: Date;
}

const longestAgeMilliseconds = 600_000;

/** How far the clock that stamped the verdict may be ahead of the server's clock. */
const skewMilliseconds = 300_000;

/**
 * Judges the payload of a Play Integrity token of any shape. Returns every reason to refuse it; an empty list if it
 * passes. A failing device verdict is `device_integrity_failed`, everything else `app_not_recognized`. (rule S13)
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

/** Classic requests have a nonce, standard requests a request hash. */
function isOfThisExchange(payload: object, isBound: (given: string) => boolean): boolean {
  const given = [
    valueAt(payload, "requestDetails", "nonce"),
    valueAt(payload, "requestDetails", "requestHash"),
  ].filter((value) => value !== undefined);
  return given.length > 0 && given.every((value) => typeof value === "string" && isBound(unpadded(value)));
}

/** The time is text, because JSON has no integers of 64 bits. */
function isRecent(timestamp: unknown, now: Date): boolean {
  if (typeof timestamp !== "string" || !/^\d{1,15}$/.test(timestamp)) return false;
  const age = now.getTime() - Number(timestamp);
  return age < longestAgeMilliseconds && age >= -skewMilliseconds;
}

/** A tester's Google account can choose any verdict for its test responses. */
function isTestingResponse(testing: unknown): boolean {
  if (testing === undefined) return false;
  const ordered = isObject(testing) ? valueAt(testing, "isTestingResponse") : true;
  return ordered !== undefined && ordered !== false;
}

function isSignedByUs(digests: unknown, certificates: readonly string[]): boolean {
  const given = textsOf(digests).map(unpadded);
  return given.length > 0 && given.every((digest) => certificates.includes(digest));
}

const isOneOf = (value: unknown, known: readonly string[]): boolean =>
  typeof value === "string" && known.includes(value);

/** The texts of an array of texts; an empty list for any other value. */
function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.filter((entry) => typeof entry === "string");
  return texts.length === value.length ? texts : [];
}

const unpadded = (base64url: string): string => base64url.replace(/={1,2}$/, "");

const freshMilliseconds = 10 * 60_000;

/**
 * Whether a person has signed in so recently that the sign-in stands for a proof. It takes the place of the password, where an
 * account has none. (rule S31)
 */
export const isFresh = (signedInAt: string | undefined, now: Date): boolean =>
  signedInAt !== undefined && now.getTime() - Date.parse(signedInAt) < freshMilliseconds;

const browsers: readonly (readonly [RegExp, string])[] = [
  // The first that matches: most browsers also name those that they imitate.
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

/** Characters of the header that are read: the patterns take longer for longer texts, and no browser writes more. */
const mostRead = 500;

/**
 * A browser and its system in words, such as `Firefox on Linux`, of the header `User-Agent`. Only names of these lists are
 * kept: the header is longer than a person can read, and anybody can write it. (rule S22)
 */
export function browserName(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const beginning = userAgent.slice(0, mostRead);
  const nameIn = (list: typeof browsers) => list.find(([pattern]) => pattern.test(beginning))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return system === undefined ? null : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The sign-in request of a device, validated. */
export interface AuthorizeRequest extends AuthorizeQuery {
  readonly redirect: string;
}

const requestFields = ["device", "name", "challenge", "state"] as const;

/**
 * Reads the request of a device, from the query with which it opened the browser or from the form that repeats it. Throws
 * `bad_redirect` before every other check, then `bad_request`. (rule S3)
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

/** The request as a query. Forms carry it in one field, because browsers change line breaks in fields. */
export function deviceRequestQuery({ redirect, device, name, challenge, state }: AuthorizeRequest): string {
  const query = new URLSearchParams({ redirect, device, name, challenge });
  if (state !== undefined) query.set("state", state);
  return query.toString();
}

/**
 * Whether a sign-in code may be sent to this target: the redirect address of the deployment, written exactly so, or an
 * app by one of the two schemes with any path. (rule S4)
 */
export function isRedirectTarget(given: string, redirectUrl: string | undefined): boolean {
  if (given.length > longestRedirect) return false;
  return given === redirectUrl || isAppTarget(given);
}

/** The answer to the requesting app: a code, or the error. */
export type RedirectAnswer = { readonly code: string } | { readonly error: "access_denied" };

/** The target with the answer added to its query. `state` is the value that the app sent. */
export function redirectAddress(target: string, answer: RedirectAnswer, state: string | undefined): string {
  const fields = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return target + joint(target) + query;
}

/**
 * The source that the policy of a page must list, so that a browser follows the redirect after the form of the page: the
 * scheme of an app, or the origin of a site.
 */
export function formActionOf(target: string): string {
  const { protocol, origin, hostname } = new URL(target);
  // Policies cannot express IPv6 addresses.
  return isOfSite(protocol) && !hostname.startsWith("[") ? origin : protocol;
}

/** Names for a person where the browser continues: the host of a site, or an app by the scheme of its address. */
export function targetName(target: string): string {
  const { protocol, host } = new URL(target);
  return isOfSite(protocol) ? host : `the app that opens ${protocol}// addresses`;
}

const isOfSite = (protocol: string): boolean => protocol === "https:" || protocol === "http:";

const longestRedirect = 2_000;

const schemes: ReadonlySet<string> = new Set(redirectSchemes);

// A subset of RFC 3986: no user, port or fragment, and nothing that browsers and phones read differently.
const appForm = /^([a-z]+:)\/\/[A-Za-z0-9._-]*(?:\/[\w.~:@!$&'()*+,;=%/-]*)?(\?[\w.~:@!$&'()*+,;=%/?-]*)?$/;

function isAppTarget(given: string): boolean {
  const [, scheme = "", query = ""] = appForm.exec(given) ?? [];
  return schemes.has(scheme) && URL.canParse(given) && !answersItself(query);
}

/** A target that contains an answer already could make an app accept a stranger's code. */
function answersItself(query: string): boolean {
  const fields = new URLSearchParams(query);
  return fields.has("code") || fields.has("error");
}

function joint(target: string): string {
  if (!target.includes("?")) return "?";
  return /[?&]$/.test(target) ? "" : "&";
}
