import type { IntegrityReason } from "../../../src/contract/errors.ts";

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
  if (!isRecord(payload)) return ["app_not_recognized"];
  const reasons: IntegrityReason[] = [];
  if (!isDeviceSound(payload)) reasons.push("device_integrity_failed");
  if (!isAppRecognized(payload, app, attempt)) reasons.push("app_not_recognized");
  return reasons;
}

const isDeviceSound = (payload: object): boolean =>
  textsOf(at(payload, "deviceIntegrity", "deviceRecognitionVerdict")).includes("MEETS_DEVICE_INTEGRITY");

function isAppRecognized(payload: object, app: OwnApp, { isBound, now }: IntegrityAttempt): boolean {
  const packageName = at(payload, "requestDetails", "requestPackageName");
  return (
    isOneOf(packageName, app.packageNames) &&
    isOfThisExchange(payload, isBound) &&
    isRecent(at(payload, "requestDetails", "timestampMillis"), now) &&
    !isTestingResponse(at(payload, "testingDetails")) &&
    at(payload, "appIntegrity", "appRecognitionVerdict") === "PLAY_RECOGNIZED" &&
    at(payload, "appIntegrity", "packageName") === packageName &&
    isSignedByUs(at(payload, "appIntegrity", "certificateSha256Digest"), app.certificates)
  );
}

/** Classic requests have a nonce, standard requests a request hash. */
function isOfThisExchange(payload: object, isBound: (given: string) => boolean): boolean {
  const given = [at(payload, "requestDetails", "nonce"), at(payload, "requestDetails", "requestHash")].filter(
    (value) => value !== undefined,
  );
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
  const ordered = isRecord(testing) ? at(testing, "isTestingResponse") : true;
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

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path of own keys, or undefined. */
function at(value: unknown, ...path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
  return at(Reflect.get(value, key), ...rest);
}

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
