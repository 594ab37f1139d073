import { targetName } from "../sign-in/rules.ts";

const minute = 60_000;

const day = 86_400_000;

/** How long codes, tokens, connections and registrations of programs are valid or kept, in milliseconds. */
export const lifetimes = {
  code: 5 * minute,
  access: 60 * minute,
  /**
   * Each refresh creates a new refresh token with this lifetime. A connection without use ends after this time.
   */
  refresh: 90 * day,
  /** How long a program gets the same new tokens if it sends the same refresh token again. */
  grace: minute,
  /** How long an ended connection stays in the list of tokens after its last use. */
  endedConnection: 180 * day,
  /** How long the registration of a program is kept if nobody has allowed the program to connect. */
  unusedClient: day,
} as const;

/**
 * A `fresh` refresh token gets new tokens. A `repeat` gets the same tokens again. In a `replay`, two programs
 * have the refresh token. (rule A48)
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
 * Removes control characters and lone surrogates from a name. Keeps at most 100 characters. The result may be
 * empty.
 */
export function programName(given: unknown): string {
  if (typeof given !== "string") return "";
  const clean = given.replace(/[\p{Cc}\p{Cs}]/gu, "").trim();
  return [...clean].slice(0, longestName).join("").trim();
}

/**
 * The allowed schemes without a domain. Operating systems handle many other schemes specially. (RFC 8252 7.1)
 */
const schemesOfPrograms: ReadonlySet<string> = new Set([
  ...["cursor:", "vscode:", "vscode-insiders:", "vscodium:", "windsurf:", "kiro:", "trae:", "zed:"],
  // Editors that are built from the source code of VS Code, and test versions of editors.
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

/** Whether a scheme contains a domain, such as `com.example.app:`. */
const hasDomain = (protocol: string): boolean => /^[a-z][a-z0-9-]*\.[a-z0-9.-]+:$/.test(protocol);

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * An address of printable ASCII characters, without a user, without a fragment, and without characters that different
 * programs interpret differently.
 */
const plainForm = /^[a-z][a-z0-9+.-]*:\/\/[\w.~:/?[\]!$&'()*+,;=%-]+$/;

/** The host is written into a Content Security Policy. It must not contain `;` and `*`, which address parsers allow. */
const plainHost = /^(?:[a-z\d_.-]+|\[[\da-f:.]+\])$/;

const longestRedirect = 2_000;

/**
 * Whether a program may get codes at this address: https, http on this computer, or an app's scheme. (rule A46)
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

/** Whether an address is registered. On the person's computer, any port is allowed. (RFC 8252 7.3) */
export const isRegisteredRedirect = (given: string, registered: readonly string[]): boolean =>
  isClientRedirect(given) && registered.some((each) => each === given || differsByPort(each, given));

const differsByPort = (one: string, other: string): boolean =>
  isOnThisComputer(other) && withoutPort(one) === withoutPort(other);

const withoutPort = (address: string): string =>
  address.replace(/^(http:\/\/(?:\[::1\]|[^/:?[]+))(?::\d{1,5})?(?=[/?]|$)/, "$1");

/** Whether the address belongs to a program on the person's computer. */
export function isOnThisComputer(redirect: string): boolean {
  const { protocol, hostname } = new URL(redirect);
  return protocol === "http:" && loopbackNames.has(hostname);
}

/** Returns a name of the redirect address that a person can understand. */
export const redirectName = (redirect: string): string =>
  isOnThisComputer(redirect) ? `this computer (${new URL(redirect).host})` : targetName(redirect);

/** Adds the server's answer to the query of the redirect address. */
export function answeredRedirect(
  redirect: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const fields = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const separator = redirect.includes("?") ? "&" : "?";
  return redirect + separator + fields.join("&");
}
