import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Transport, WireAnswer } from "../../client/call.ts";
import { proxyFor } from "../../client/connection.ts";
import { ServerError } from "../../client/errors.ts";
import { redactText } from "../../client/redact.ts";
import type { Route } from "../../client/routes.ts";
import { shortTransport } from "../../client/transport.ts";
import { jsonIn } from "../../contract/json.ts";
import { countOf, systemReason } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { connect, proxyOf } from "../core/connection.ts";
import type { Context, Invocation } from "../core/context.ts";
import { failureOf, proxyNext } from "../core/failures.ts";
import { note, type Painter, painter, printOne, widthOf } from "../core/output.ts";
import { published } from "../update.ts";

/** Checks the environment variables for proxies and certificates. */
export function checkNetworkVariables(context: Context): Finding[] {
  return [...checkProxies(context), ...checkAuthorities(context), ...checkTrust(context)];
}

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

function checkProxies({ env }: Context): Finding[] {
  const set = proxyVariables.filter((name) => env[name]);
  const faults = set.filter((name) => !isProxyAddress(env[name] ?? ""));
  const findings = faults.map((name) =>
    failure("proxy", {
      what: `${name} is not the address of an HTTP proxy.`,
      why: "Requests through this proxy fail.",
      next: `Set it to an address such as http://proxy.example:3128, or remove it with \`unset ${name}\`.`,
    }),
  );
  const isIgnored = set.length === 0 && Boolean(env.ALL_PROXY || env.all_proxy);
  return isIgnored ? [...findings, ignoredProxy] : findings;
}

export const warning = (check: string, fault: Fault): Finding => ({ check, state: "warning", ...fault });

const ignoredProxy = warning("proxy", {
  what: "ALL_PROXY is set, but innkeep does not read it.",
  why: "Requests go directly to the server, without a proxy.",
  next: "Set HTTPS_PROXY and HTTP_PROXY instead.",
});

function isProxyAddress(given: string): boolean {
  const address = given.includes("://") ? given : `http://${given}`;
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

function checkAuthorities({ env }: Context): Finding[] {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  const fault = !existsSync(file)
    ? "does not exist"
    : readFileSync(file, "utf8").includes("-----BEGIN CERTIFICATE-----")
      ? undefined
      : "contains no certificate";
  if (fault === undefined)
    return [remark("authorities", `Node also trusts the certificate authorities in ${file}.`)];
  return [
    failure("authorities", {
      what: `NODE_EXTRA_CA_CERTS names ${file}, which ${fault}.`,
      why: "Node ignores the file, so it does not trust certificates of your own authority.",
      next: "Name a PEM file with the certificate of the authority.",
    }),
  ];
}

const checkTrust = ({ env }: Context): Finding[] =>
  env.NODE_TLS_REJECT_UNAUTHORIZED === "0"
    ? [
        failure("certificates", {
          what: "NODE_TLS_REJECT_UNAUTHORIZED=0 turns the check of certificates off.",
          why: "Anybody between you and the server can read your credentials.",
          next: "Remove it with `unset NODE_TLS_REJECT_UNAUTHORIZED`, and name the file of your own certificate authority in NODE_EXTRA_CA_CERTS.",
        }),
      ]
    : [];

/** Checks the host name, port and certificate of the server. With a proxy, checks the proxy instead. */
export async function checkConnection(context: Context, address: string): Promise<Finding[]> {
  const url = new URL(address);
  const proxy = proxyFor(url, proxyOf(context));
  const target = proxy === undefined || !URL.canParse(proxy) ? url : new URL(proxy);
  const through = target === url ? "" : ` (the proxy for ${url.host})`;
  const found = await checkName(target, through);
  if (found.some(({ state }) => state === "failure")) return found;
  return [...found, ...(await checkPort(context, target, through))];
}

async function checkName({ hostname }: URL, through: string): Promise<Finding[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return [];
  const reason = await lookUpFault(host);
  if (reason === undefined) return [ok("dns", `${host}${through} has an address.`)];
  return [
    failure("dns", {
      what: `The name ${host}${through} cannot be looked up (${reason}).`,
      why: "No request can be sent.",
      next: through
        ? proxyNext
        : "Check the spelling in --base-url, INNKEEP_BASE_URL or `innkeep config list`, then your network or VPN.",
    }),
  ];
}

async function checkPort(context: Context, url: URL, through: string): Promise<Finding[]> {
  const reason = await connectionFault(url);
  if (reason !== undefined) {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
    const serverNext = isLocal
      ? "Start the server with `innkeep serve`, or name another server with `innkeep config set server https://…`."
      : "Check the port in the address, the firewall, and whether the server runs.";
    const next = through ? proxyNext : serverNext;
    const what = `${url.host}${through} does not accept connections (${reason}).`;
    return [failure("tcp", { what, why: "No request can be sent.", next })];
  }
  const found = ok("tcp", `${url.host}${through} accepts connections.`);
  return url.protocol === "https:" ? [found, tlsFinding(context, url, await checkCertificate(url))] : [found];
}

const soonMs = 14 * 86_400_000;

function tlsFinding({ clock }: Context, { host }: URL, { reason, validTo }: CertificateCheck): Finding {
  if (reason !== undefined)
    return failure("tls", {
      what: `The certificate of ${host} is not accepted (${reason}).`,
      why: "Commands send no request, because another server could answer it.",
      next: "Name the certificate of your authority in NODE_EXTRA_CA_CERTS, or renew the certificate of the server.",
    });
  if (validTo && validTo.getTime() - clock.now().getTime() < soonMs)
    return warning("tls", {
      what: `The certificate of ${host} expires on ${validTo.toISOString().slice(0, 10)}.`,
      why: "After that day, no request is sent.",
      next: "Renew the certificate, or tell the person who runs the server.",
    });
  return ok("tls", `The certificate of ${host} is accepted.`);
}

const limitMs = 5_000;

/** Returns why the DNS lookup of a host fails. Returns undefined if it succeeds. */
async function lookUpFault(host: string): Promise<string | undefined> {
  const { lookup } = await import("node:dns/promises");
  try {
    await lookup(host);
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);

const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** Returns why a server does not accept connections. Returns undefined if it accepts them. */
async function connectionFault(url: URL): Promise<string | undefined> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect({ host: nameOf(url), port: portOf(url), timeout: limitMs });
    const end = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(silent));
    socket.once("error", (error) => end(systemReason(error)));
  });
}

const silent = `no answer within ${limitMs / 1_000} s`;

interface CertificateCheck {
  /** Why the certificate is not accepted. Undefined if it is accepted. */
  readonly reason?: string;
  readonly validTo?: Date;
}

/** Checks the certificate of a server in the same way as Node does for requests. */
async function checkCertificate(url: URL): Promise<CertificateCheck> {
  const { connect } = await import("node:tls");
  const host = nameOf(url);
  const named = /^[\d.:]+$/.test(host) ? {} : { servername: host };
  return new Promise((resolve) => {
    const socket = connect({ host, port: portOf(url), rejectUnauthorized: true, timeout: limitMs, ...named });
    const end = (found: CertificateCheck) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("secureConnect", () => end({ validTo: new Date(socket.getPeerCertificate().valid_to) }));
    socket.once("timeout", () => end({ reason: silent }));
    socket.once("error", (error) => end({ reason: systemReason(error) }));
  });
}

/** The data that the server returns about itself. */
interface ServerInfo {
  /** The version of the server. Undefined if the server does not return its version. */
  readonly version?: string;
  readonly isInnkeep: boolean;
}

/** The findings about a server, and whether the same check may succeed later. */
interface TriedServer {
  readonly findings: Finding[];
  readonly tryLater: boolean;
}

/**
 * Checks whether an Innkeep server answers at the address. Also checks the version and the clock of the server.
 */
export async function tryServer(invocation: Invocation): Promise<TriedServer> {
  const skews: number[] = [];
  const watched = watchClock(invocation, skews);
  try {
    const info = await ask(invocation, watched);
    const findings = info
      ? [kindFinding(info), ...versionFindings(invocation, info), ...clockFindings(skews)]
      : [notAServer(invocation.baseUrl())];
    return { findings, tryLater: false };
  } catch (error) {
    const why = "Commands that need the server fail.";
    const next = "Check --base-url and INNKEEP_BASE_URL, or ask the person who runs the server.";
    const findings = [failure("server", faultOf(error, { why, next }))];
    return { findings, tryLater: failureOf(error).exit === "tryLater" };
  }
}

/**
 * Returns a transport that measures the server's clock. Adds to `skews` how many milliseconds this machine is
 * ahead of the server.
 */
function watchClock({ context }: Invocation, skews: number[]): Transport {
  const send = context.transport ?? shortTransport(proxyOf(context));
  return async (request) => {
    const start = context.clock.now().getTime();
    const answer = await send(request);
    const end = context.clock.now().getTime();
    const theirs = Date.parse(answer.headers.date ?? "");
    // The `date` header has whole seconds, so the server's clock is half a second later on average.
    if (!Number.isNaN(theirs)) skews.push((start + end) / 2 - theirs - 500);
    return answer;
  };
}

const open = (path: string): Route => ({ method: "GET", path, auth: "none", summary: "" });

/**
 * Asks the server for its version. Undefined if the server is not compatible with Innkeep. Throws if nothing
 * answers.
 */
async function ask(invocation: Invocation, transport: Transport): Promise<ServerInfo | undefined> {
  const send = connect(invocation, { attempts: 1, timeoutMs: 5_000, transport });
  const health = await orRefusal(() => send(open("/healthz")));
  if (health && "text" in health) {
    const { status, version } = Object(jsonIn(health.text));
    if (status === "ok") return { isInnkeep: true, ...(typeof version === "string" && { version }) };
  }
  // The request contains no key. Every compatible server refuses such a request with status 401 and JSON.
  const refusal = await orRefusal(() => send(open("/api/v1/faqs/remote")));
  return refusal instanceof ServerError && refusal.status === 401 && refusal.body !== undefined
    ? { isInnkeep: false }
    : undefined;
}

async function orRefusal(call: () => Promise<WireAnswer>): Promise<WireAnswer | ServerError> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ServerError && (error.status < 500 || error.status === 501)) return error;
    throw error;
  }
}

const notAServer = (address: string): Finding =>
  failure("server", {
    what: `Something answers at ${address}, but it is not an Innkeep server.`,
    why: "Commands get answers that they cannot read.",
    next: "Check the path and the port of the address. `innkeep config list` shows where it is set.",
  });

const kindFinding = ({ isInnkeep, version }: ServerInfo): Finding => {
  if (!isInnkeep)
    return ok(
      "server",
      "The server has only the base API. Commands that need other parts of Innkeep say so.",
    );
  return ok("server", version === undefined ? "It is an Innkeep server." : `It is Innkeep ${version}.`);
};

/** Returns how to install this program in the version of the server. (rule L56) */
const installNext = (version: string): string =>
  published === null
    ? `Install the tarball of version ${version}: \`npm install --global innkeep-${version}.tgz\`.`
    : `npm install --global ${published.name}@${version}`;

/**
 * Returns the part of a version that all compatible versions share: the first number, or two numbers before
 * version 1.0.
 */
const lineOf = (version: string): string => /^(0\.\d+|\d+)/.exec(version)?.[1] ?? "";

function versionFindings({ context }: Invocation, { version }: ServerInfo): Finding[] {
  if (version === undefined) return [];
  if (lineOf(version) === lineOf(context.version))
    return [ok("versions", `Server ${version} and command line ${context.version} are compatible.`)];
  return [
    warning("versions", {
      what: `The server has version ${version}, and this command line has version ${context.version}.`,
      why: "One of them may not support all commands of the other.",
      next: installNext(version),
    }),
  ];
}

const fineSeconds = 30;

const mostSeconds = 120;

function clockFindings([first]: readonly number[]): Finding[] {
  if (first === undefined) return [remark("clock", "The server does not send its time.")];
  const seconds = Math.round(Math.abs(first) / 1_000);
  if (seconds <= fineSeconds) return [ok("clock", "This machine and the server agree on the time.")];
  const state = seconds > mostSeconds ? failure : warning;
  return [
    state("clock", {
      what: `This machine's clock is ${seconds} s ${first > 0 ? "ahead of" : "behind"} the server's.`,
      why: "Sessions and proofs of testers may be refused, and times in lists are wrong.",
      next: "Let the network set the clock. On Linux, run `sudo timedatectl set-ntp true`.",
    }),
  ];
}

/**
 * With a `failure`, some commands do not work. With a `warning`, all commands work, but with a disadvantage.
 */
type State = "ok" | "note" | "warning" | "failure";

/** The result of one check. It never contains a secret. */
export interface Finding {
  /** The name of the check, in one or two words. */
  readonly check: string;
  readonly state: State;
  /** The result as a sentence. */
  readonly what: string;
  /** The consequence of a warning or a failure. Otherwise null. */
  readonly why: string | null;
  /** What the user can do next, such as a command to run or a setting to change. */
  readonly next: string | null;
}

/** Describes what is wrong, its consequence, and the next step. */
interface Fault {
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export const ok = (check: string, what: string): Finding => ({
  check,
  state: "ok",
  what,
  why: null,
  next: null,
});

export const remark = (check: string, what: string): Finding => ({ ...ok(check, what), state: "note" });

export const failure = (check: string, fault: Fault): Finding => ({ check, state: "failure", ...fault });

/** Describes an error as a fault. A next step in the error replaces `next`. */
export function faultOf(error: unknown, { why, next }: Pick<Fault, "why" | "next">): Fault {
  const { message, next: own } = failureOf(error);
  return { what: message, why, next: own ?? next };
}

/** Prints findings without secrets. `--json` also prints `more`. Returns true if no finding is a failure. */
export function reportFindings(invocation: Invocation, all: readonly Finding[], more: object = {}): boolean {
  const findings = all.map(withoutSecrets);
  const failures = findings.filter(({ state }) => state === "failure").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const { context, flags } = invocation;
  const { stdout } = context.io;
  const layout: Layout = {
    paint: painter(context, flags, stdout),
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
  const report = { ok: failures === 0, version: context.version, ...more, failures, warnings, findings };
  printOne(invocation, report, () => ({
    painted: findings.flatMap((finding) => linesOf(finding, layout)).join("\n"),
  }));
  note(invocation, `${countOf(failures, "failure")}, ${countOf(warnings, "warning")}.`);
  return failures === 0;
}

const withoutSecrets = ({ what, why, next, ...rest }: Finding): Finding => ({
  ...rest,
  what: redactText(what),
  why: why && redactText(why),
  next: next && redactText(next),
});

const colors = { failure: "red", warning: "yellow", ok: "green", note: "dim" } as const;

const width = Math.max(...Object.keys(colors).map((state) => state.length));

const margin = " ".repeat(width + 2);

/** The colours and the line width with which findings are printed. */
interface Layout {
  readonly paint: Painter;
  readonly columns: number;
}

function linesOf({ check, state, what, why, next }: Finding, { paint, columns }: Layout): string[] {
  const texts = [`${check}: ${what}`, why && `Effect: ${why}`, next && `Next: ${next}`];
  const [first = "", ...rest] = texts.flatMap((text) =>
    text ? wrapped(oneLine(text), columns - margin.length) : [],
  );
  const label = paint(colors[state satisfies State], state.padEnd(width));
  return [`${label}  ${first}`, ...rest.map((line) => margin + line)];
}

/** Wraps a text at a number of columns. Never cuts a word, because the user may copy it. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
