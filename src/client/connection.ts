import type { Auth } from "../contract/endpoint.ts";
import { ConnectionError } from "./errors.ts";

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no program listens at that address",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "the host did not answer",
  timeout: "the host did not answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EPROTO: "it does not use TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not use TLS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** The error codes of undici that mean the same as an error code of Node. */
const sameAs: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_CONNECT_TIMEOUT: "ETIMEDOUT",
};

const untrusted = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/;

/**
 * Creates the error for a call without an answer. The message contains only hosts, because an address can
 * contain a secret.
 */
export function connectionError(cause: unknown, url: URL, proxy?: URL): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  const own = codeOf(cause) ?? "failed";
  const code = sameAs[own] ?? own;
  const from = proxy ? `the proxy ${proxy.host} for requests to ${url.origin}` : url.origin;
  return new ConnectionError(code, `No answer from ${from}: ${connectionReason(code)}.`, {
    ...{ cause, proxy: proxy?.host },
  });
}

/** Whether a call failed because no program listens at a port of this machine. A retry does not help. */
export function isRefusedHere(error: unknown, baseUrl: string): boolean {
  if (!(error instanceof ConnectionError) || error.code !== "ECONNREFUSED") return false;
  const asked = error.proxy === undefined ? baseUrl : `http://${error.proxy}`;
  return isLoopback(new URL(asked).hostname);
}

export const timeoutError = (url: URL, timeoutMs: number, proxy?: URL): ConnectionError =>
  new ConnectionError(
    "timeout",
    `No answer from ${url.origin}${proxy ? ` through the proxy ${proxy.host}` : ""}: it sent nothing for ${Math.round(timeoutMs / 1_000)} seconds.`,
    { proxy: proxy?.host },
  );

export const tooLarge = ({ origin }: URL, bytes: number): ConnectionError =>
  new ConnectionError(
    "too_large",
    `The answer from ${origin} is larger than ${Math.round(bytes / 1_048_576)} MB. Is this the address of an Innkeep server?`,
  );

export const tooSlow = ({ origin }: URL, milliseconds: number): ConnectionError =>
  new ConnectionError(
    "too_slow",
    `The answer from ${origin} did not end within ${Math.round(milliseconds / 1_000)} seconds.`,
  );

/** Returns in words why a connection failed. `code` is an error code of Node. */
export function connectionReason(code: string): string {
  if (untrusted.test(code)) {
    return "this machine does not trust its certificate. Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of the server";
  }
  return sentences[code] ?? `the connection failed (${code})`;
}

/** Returns the code of an error, of its first inner error or of its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  // If a host has several addresses, Node reports one inner error for each address.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return codeOf(first ?? error.cause);
}

/** The values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  /** Hosts without a proxy, comma separated: `host`, `.domain`, `host:port`, `*`. */
  readonly none?: string;
}

/** Returns the proxy for a request, or undefined. Requests to this machine never use a proxy. */
export function proxyFor(url: URL, settings: ProxySettings): string | undefined {
  const proxy = url.protocol === "https:" ? settings.https : settings.http;
  if (!proxy || isLoopback(url.hostname) || isExcepted(url, settings.none ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Whether the host of a URL is this machine, such as `localhost` or `127.0.0.1`. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);

const isExcepted = (url: URL, none: string): boolean =>
  none
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || matches(url, entry.toLowerCase()));

function matches({ hostname, port, protocol }: URL, entry: string): boolean {
  const [, name = entry, wanted] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wanted && wanted !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  const domain = name.replace(/^\*?\./, "");
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/**
 * The kinds of credentials. `name` is for sentences, `variable` is the environment variable, and `command`
 * stores a credential.
 */
export const credentialKinds = {
  appKey: {
    name: "app key",
    prefix: "sdk_",
    variable: "INNKEEP_API_KEY",
    command: "innkeep auth set api-key",
  },
  agentToken: {
    name: "agent token",
    prefix: "sda_",
    variable: "INNKEEP_AGENT_TOKEN",
    command: "innkeep auth set agent-token",
  },
  deviceToken: {
    name: "device token",
    prefix: "sdt_",
    variable: "INNKEEP_DEVICE_TOKEN",
    command: "innkeep auth set device-token",
  },
  maintainerToken: {
    name: "maintainer token",
    prefix: "sdm_",
    variable: "INNKEEP_TOKEN",
    command: "innkeep auth set token",
  },
} as const satisfies Record<string, { name: string; prefix: string; variable: string; command: string }>;

export type CredentialKind = keyof typeof credentialKinds;

const kindOfAuth: Record<Auth | CredentialKind, CredentialKind | undefined> = {
  none: undefined,
  appKey: "appKey",
  agentToken: "agentToken",
  deviceToken: "deviceToken",
  maintainerToken: "maintainerToken",
  console: "maintainerToken",
  session: "maintainerToken",
};

/** Returns the kind of credential that an endpoint needs. Undefined if it needs none. */
export const credentialFor = (auth: Auth | CredentialKind): CredentialKind | undefined => kindOfAuth[auth];

/** Returns the header that contains a credential. */
export const credentialHeader = (kind: CredentialKind, secret: string): Record<string, string> =>
  kind === "appKey" ? { "x-api-key": secret } : { authorization: `Bearer ${secret}` };

/** The call needs a credential, and there is none. */
export class MissingCredentialError extends Error {
  readonly kind: CredentialKind;

  constructor(kind: CredentialKind) {
    const { name, variable, command } = credentialKinds[kind];
    const nextStep =
      kind === "deviceToken" ? "sign in with `innkeep auth login`" : `store one with \`${command}\``;
    super(
      `This request needs ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}. Set ${variable}, or ${nextStep}.`,
    );
    this.name = "MissingCredentialError";
    this.kind = kind;
  }
}
