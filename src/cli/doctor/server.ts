import { ServerError } from "../../client/errors.ts";
import type { Route } from "../../client/routes.ts";
import { shortTransport } from "../../client/transport.ts";
import type { Transport, WireAnswer } from "../../client/wire.ts";
import { connect, proxyOf } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { published } from "../core/published.ts";
import { type Finding, failure, faultOf, ok, remark, warning } from "./finding.ts";

/** What the server says about itself, and when. */
interface Heard {
  /** Its version; undefined for a server of the specification, and for one that does not say. */
  readonly version?: string;
  readonly isInnkeep: boolean;
}

/** What was found about a server, and whether it only cannot answer now. */
interface TriedServer {
  readonly findings: Finding[];
  readonly tryLater: boolean;
}

/** Whether the address is that of a server, its version, and its clock. */
export const checkServer = async (invocation: Invocation): Promise<Finding[]> =>
  (await tryServer(invocation)).findings;

export async function tryServer(invocation: Invocation): Promise<TriedServer> {
  const skews: number[] = [];
  const watched = watchClock(invocation, skews);
  try {
    const heard = await ask(invocation, watched);
    const findings = heard
      ? [kindFinding(heard), ...versionFindings(invocation, heard), ...clockFindings(skews)]
      : [notAServer(invocation.baseUrl())];
    return { findings, tryLater: false };
  } catch (error) {
    const why = "Commands that need the server fail.";
    const next = "Check --base-url and INNKEEP_BASE_URL, or ask the person who runs the server.";
    const findings = [failure("server", faultOf(error, { why, next }))];
    return { findings, tryLater: failureOf(error).exit === "tryLater" };
  }
}

/** Notes for each answer how far this machine's clock is ahead, in milliseconds. */
function watchClock({ context }: Invocation, skews: number[]): Transport {
  const send = context.transport ?? shortTransport(proxyOf(context));
  return async (request) => {
    const start = context.clock.now().getTime();
    const answer = await send(request);
    const end = context.clock.now().getTime();
    const theirs = Date.parse(answer.headers.date ?? "");
    // The header has whole seconds: on average half a second has passed since.
    if (!Number.isNaN(theirs)) skews.push((start + end) / 2 - theirs - 500);
    return answer;
  };
}

const open = (path: string): Route => ({ method: "GET", path, auth: "none", summary: "" });

/** Undefined if this is no server of ours. Throws if nothing answers. */
async function ask(invocation: Invocation, transport: Transport): Promise<Heard | undefined> {
  const send = connect(invocation, { attempts: 1, timeoutMs: 5_000, transport });
  const health = await orRefusal(() => send(open("/healthz")));
  if (health && "text" in health) {
    const { status, version } = Object(parsed(health.text));
    if (status === "ok") return { isInnkeep: true, ...(typeof version === "string" && { version }) };
  }
  // Every server of the specification refuses this call without a key, in JSON.
  const refusal = await orRefusal(() => send(open("/api/v1/faqs/remote")));
  return refusal instanceof ServerError && refusal.status === 401 && refusal.body !== undefined
    ? { isInnkeep: false }
    : undefined;
}

/** The answer, or what a server said against it. Throws if there was no answer. */
async function orRefusal(call: () => Promise<WireAnswer>): Promise<WireAnswer | ServerError> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ServerError && (error.status < 500 || error.status === 501)) return error;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const notAServer = (address: string): Finding =>
  failure("server", {
    what: `Something answers at ${address}, but it is no Innkeep.`,
    why: "Commands get answers that they cannot read.",
    next: "Check the path and the port of the address. `innkeep config list` says what names it.",
  });

const kindFinding = ({ isInnkeep, version }: Heard): Finding => {
  if (!isInnkeep) return ok("server", "It has the specified API. Commands that need more of Innkeep say so.");
  return ok("server", version === undefined ? "It is an Innkeep." : `It is an Innkeep ${version}.`);
};

/** How to get the version of the server. (rule L56) */
const installNext = (version: string): string =>
  published === null
    ? `Install the tarball of version ${version}: \`npm install --global innkeep-${version}.tgz\`.`
    : `npm install --global ${published.name}@${version}`;

/** Before 1.0 the second number counts as the first. */
const lineOf = (version: string): string => /^(0\.\d+|\d+)/.exec(version)?.[1] ?? "";

function versionFindings({ context }: Invocation, { version }: Heard): Finding[] {
  if (version === undefined) return [];
  if (lineOf(version) === lineOf(context.version))
    return [ok("versions", `Server ${version} and command line ${context.version} belong together.`)];
  return [
    warning("versions", {
      what: `The server is ${version}, this command line is ${context.version}.`,
      why: "Some commands may not be known to the other side.",
      next: installNext(version),
    }),
  ];
}

const fineSeconds = 30;
const worstSeconds = 120;

function clockFindings([first]: readonly number[]): Finding[] {
  if (first === undefined) return [remark("clock", "The server does not say what time it is.")];
  const seconds = Math.round(Math.abs(first) / 1_000);
  if (seconds <= fineSeconds) return [ok("clock", "This machine and the server agree on the time.")];
  const state = seconds > worstSeconds ? failure : warning;
  return [
    state("clock", {
      what: `This machine's clock is ${seconds} s ${first > 0 ? "ahead of" : "behind"} the server's.`,
      why: "Sessions and proofs of testers may be refused, and times in lists are wrong.",
      next: "Set the clock by the network: `sudo timedatectl set-ntp true` on Linux.",
    }),
  ];
}
