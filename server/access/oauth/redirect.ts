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

const longest = 2_000;

/**
 * Whether a program may have this address as the target of its codes: https, http on this computer, or the scheme of an
 * app, which has a domain or is a known one. No user, no fragment, no answer in its query. (rule A46)
 */
export function isClientRedirect(given: string): boolean {
  if (given.length > longest || !plainForm.test(given) || !URL.canParse(given)) return false;
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

/** Where a person is sent, in few words: this computer, the host of a site, or the scheme of an app. */
export function redirectName(redirect: string): string {
  const { protocol, host } = new URL(redirect);
  if (isOnThisComputer(redirect)) return `this computer (${host})`;
  return /^https?:$/.test(protocol) ? host : `the app that opens ${protocol}// addresses`;
}

/** The source that the page's policy must list so that a browser follows the redirect after its form. */
export function redirectSource(redirect: string): string {
  const { protocol, origin, hostname } = new URL(redirect);
  // Policies cannot express IPv6 addresses.
  return /^https?:$/.test(protocol) && !hostname.startsWith("[") ? origin : protocol;
}

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
