import { targetName } from "../sign-in/rules.ts";

const minute = 60_000;

const day = 86_400_000;

/** How long the parts of a connection live, in milliseconds. */
export const lifetimes = {
  code: 5 * minute,
  access: 60 * minute,
  /** Counted from its last refresh: a connection that nobody uses ends. */
  refresh: 90 * day,
  /** Repeats of a refresh get the same answer that long. */
  grace: minute,
  /** Of a connection that has ended by itself, counted from its last use: so long the list of tokens shows that it ended. */
  endedConnection: 180 * day,
  /** Of a registration to which nobody allowed anything. */
  unusedClient: day,
} as const;

/**
 * What a refresh token is good for: the next pair of tokens, the same pair once more, or nothing. A `replay` means that
 * two programs have it. (rule A48)
 */
type RefreshVerdict = "fresh" | "repeat" | "replay" | "expired";

export function refreshVerdict(
  { usedAt, expiresAt }: { readonly usedAt: string | null; readonly expiresAt: string },
  now: Date,
): RefreshVerdict {
  if (usedAt !== null) return now.getTime() - Date.parse(usedAt) <= lifetimes.grace ? "repeat" : "replay";
  return Date.parse(expiresAt) > now.getTime() ? "fresh" : "expired";
}

const longestName = 100;

/**
 * The name that a program gives itself, as it can be stored and allowed: without control characters and halves of
 * characters, at most 100 characters. Empty if nothing is left.
 */
export function programName(given: unknown): string {
  if (typeof given !== "string") return "";
  const clean = given.replace(/[\p{Cc}\p{Cs}]/gu, "").trim();
  return [...clean].slice(0, longestName).join("").trim();
}

/**
 * The schemes of programs that ask for access and have no domain in their scheme. No list could name all that systems and
 * browsers treat in ways of their own, so a scheme is refused unless it is one of these or has a domain. (RFC 8252 7.1)
 */
const schemesOfPrograms: ReadonlySet<string> = new Set([
  ...["cursor:", "vscode:", "vscode-insiders:", "vscodium:", "windsurf:", "kiro:", "trae:", "zed:"],
  // Editors that are built from the same sources, and versions of editors that are tried before others.
  ...[
    "code-oss:",
    "cursor-nightly:",
    "windsurf-next:",
    "antigravity:",
    "positron:",
    "void:",
    "trae-cn:",
    "qoder:",
  ],
  ...[
    "claude:",
    "goose:",
    "raycast:",
    "warp:",
    "warppreview:",
    "lmstudio:",
    "cherrystudio:",
    "chatwise:",
    "jan:",
  ],
]);

/** Such as `com.example.app:`. */
const hasDomain = (protocol: string): boolean => /^[a-z][a-z0-9-]*\.[a-z0-9.-]+:$/.test(protocol);

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Printable ASCII without users, fragments, and what readers of addresses disagree on. */
const plainForm = /^[a-z][a-z0-9+.-]*:\/\/[\w.~:/?[\]!$&'()*+,;=%-]+$/;

/** The name goes into the policy of a page. Parsers of addresses allow `;` and `*` in it. */
const plainHost = /^(?:[a-z\d_.-]+|\[[\da-f:.]+\])$/;

const longestRedirect = 2_000;

/**
 * Whether a program may have this address as the target of its codes: https, http on this computer, or the scheme of an
 * app, which has a domain or is a known one. No user, no fragment, no answer in its query. (rule A46)
 */
export function isClientRedirect(given: string): boolean {
  if (given.length > longestRedirect || !plainForm.test(given) || !URL.canParse(given)) return false;
  const { protocol, hostname, searchParams } = new URL(given);
  if (answerFields.some((name) => searchParams.has(name))) return false;
  if (protocol === "https:") return plainHost.test(hostname);
  return protocol === "http:"
    ? loopbackNames.has(hostname)
    : schemesOfPrograms.has(protocol) || hasDomain(protocol);
}

const answerFields = ["code", "error", "state", "iss"];

/**
 * Whether a target is one of the registered ones, character for character. On this computer the port may differ, because
 * a program takes the one that is free. (RFC 8252 7.3)
 */
export const isRegisteredRedirect = (given: string, registered: readonly string[]): boolean =>
  isClientRedirect(given) && registered.some((each) => each === given || differsByPort(each, given));

const differsByPort = (one: string, other: string): boolean =>
  isOnThisComputer(other) && withoutPort(one) === withoutPort(other);

const withoutPort = (address: string): string =>
  address.replace(/^(http:\/\/(?:\[::1\]|[^/:?[]+))(?::\d{1,5})?(?=[/?]|$)/, "$1");

/** Whether the target is a program on the computer of the browser. */
export function isOnThisComputer(redirect: string): boolean {
  const { protocol, hostname } = new URL(redirect);
  return protocol === "http:" && loopbackNames.has(hostname);
}

/** Names for a person where the browser continues. */
export const redirectName = (redirect: string): string =>
  isOnThisComputer(redirect) ? `this computer (${new URL(redirect).host})` : targetName(redirect);

/** The target with an answer added to its query. */
export function answeredRedirect(
  redirect: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const fields = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const joint = redirect.includes("?") ? "&" : "?";
  return redirect + joint + fields.join("&");
}
