import { credentialKinds } from "../../client/connection.ts";
import { ServerError } from "../../client/errors.ts";
import type { Route } from "../../client/routes.ts";
import { routes } from "../../client/routes.ts";
import type { Exit } from "../core/cli-error.ts";
import { connect } from "../core/connection.ts";
import type { FoundCredential, Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { isOfOtherServer, notSent } from "../core/settings.ts";
import { tryCredential } from "../core/store-credential.ts";
import {
  checkConnection,
  type Finding,
  failure,
  faultOf,
  ok,
  reportFindings,
  tryServer,
  warning,
} from "./checks.ts";

/** What an agent may do through the MCP server. */
type Permission = "read" | "propose" | "work";

/** The findings, and what the agent may do. */
interface Examined {
  readonly findings: readonly Finding[];
  readonly may: readonly Permission[];
  /** Whether the same check may succeed later, because the server did not answer now. */
  readonly tryLater?: boolean;
}

/** The flags of the MCP server that select which tools it offers. */
interface Offered {
  readonly readOnly?: boolean;
  readonly work?: boolean;
}

/** Checks what the MCP server needs, and prints the findings. (rule L70) */
export async function checkAgentServer(invocation: Invocation, offered: Offered): Promise<Exit> {
  const { findings, may, tryLater = false } = await examined(invocation, offered);
  reportFindings(invocation, findings, { baseUrl: invocation.baseUrl(), may });
  const failed = findings.filter(({ state }) => state === "failure").map(({ check }) => check);
  if (tryLater || failed.some((check) => unreachable.has(check))) return "tryLater";
  if (failed.includes(token)) return "authentication";
  return failed.length === 0 ? "ok" : "unexpected";
}

const unreachable: ReadonlySet<string> = new Set(["dns", "tcp", "tls", "no answer"]);
const token = "agent token";

async function examined(invocation: Invocation, offered: Offered): Promise<Examined> {
  const { address, from } = invocation.server();
  const named = ok("address", `The server is ${address} (${from}).`);
  const connection = await checkConnection(invocation.context, address);
  const reached = [named, ...connection];
  const found = await agentTokenOf(invocation);
  if (connection.some(isFailure)) return { findings: [...reached, ...found.findings], may: [] };
  const server = await tryServer(invocation);
  const all = [...reached, ...server.findings, ...found.findings];
  if (server.findings.some((one) => one.check === "server" && isFailure(one)) || !found.credential)
    return { findings: all, may: [], tryLater: server.tryLater };
  const { findings, ...rest } = await permissionsOf(invocation, found.credential, offered);
  return { findings: [...all, ...findings], ...rest };
}

const isFailure = ({ state }: Finding): boolean => state === "failure";

async function agentTokenOf(
  invocation: Invocation,
): Promise<{ readonly credential?: FoundCredential; readonly findings: Finding[] }> {
  const { origin } = new URL(invocation.baseUrl());
  const store = `\`${credentialKinds.agentToken.command} --base-url ${origin}\``;
  const next = `Create a token in the console under Settings, and store it: ${store}`;
  const why = "The agent sees the tools, but every call fails.";
  try {
    const credential = await invocation.credential("agentToken");
    if (credential) return { credential, findings: [] };
    const { variable } = credentialKinds.agentToken;
    const server = invocation.server();
    const unsent = isOfOtherServer(invocation.context, server, variable)
      ? ` ${notSent(variable, server)}`
      : "";
    const what = `There is no agent token for ${origin}.${unsent}`;
    return { findings: [failure(token, { what, why, next })] };
  } catch (error) {
    return { findings: [failure(token, faultOf(error, { why, next }))] };
  }
}

async function permissionsOf(
  invocation: Invocation,
  found: FoundCredential,
  offered: Offered,
): Promise<Examined> {
  const server = invocation.baseUrl();
  const place = { server, kind: "agentToken" } as const;
  const { valid, problem, failure: silence } = await tryCredential(invocation, place, found);
  const named = `The agent token (${found.source})`;
  if (valid === false) {
    const { command } = credentialKinds.agentToken;
    const next = `Create a new token in the console under Settings, and store it with \`${command}\`, or change ${found.source}.`;
    const why = "The agent sees the tools, but every call fails.";
    return { findings: [failure(token, { what: `${named} is ${problem}.`, why, next })], may: [] };
  }
  if (valid === null) {
    const why = "It is not known whether the token works.";
    const next = "Run `innkeep mcp --check` again when the server answers.";
    return {
      findings: [warning(token, { what: `${named} could not be checked: ${problem}`, why, next })],
      may: [],
      tryLater: failureOf(silence).exit === "tryLater",
    };
  }
  const work = offered.readOnly ? "not_offered" : await mayWork(invocation, found);
  const may: Permission[] = ["read"];
  if (!offered.readOnly) may.push("propose");
  if (work === "allowed") may.push("work");
  return { findings: [ok(token, `${named} is accepted.`), permissions(work, offered)], may };
}

/** Whether the agent may claim approved plans, or the reason why it may not. */
type WorkPermission = "allowed" | "no_scope" | "no_claims" | "unknown" | "not_offered";

function permissions(work: WorkPermission, offered: Offered): Finding {
  const lacks = offered.work && (work === "no_scope" || work === "no_claims");
  if (work === "allowed" && !offered.work)
    return ok("permissions", `${permissionTexts.allowed} ${howToOffer}`);
  if (!lacks) return ok("permissions", permissionTexts[work]);
  const next =
    work === "no_scope"
      ? "Create a token with the scope runs:work in the console, or leave out both --work and INNKEEP_MCP_WORK."
      : "Leave out both --work and INNKEEP_MCP_WORK.";
  const why = "The server refuses the agent's requests to claim a plan or report an outcome.";
  return warning("permissions", { what: permissionTexts[work], why, next });
}

const permissionTexts: Readonly<Record<WorkPermission, string>> = {
  allowed: "The agent may read, propose, and work on approved plans.",
  no_scope:
    "The agent may read and propose. To work on approved plans it needs a token with the scope runs:work.",
  no_claims: "The agent may read and propose. On this server, agents cannot claim approved plans.",
  unknown: "The agent may read and propose. The server did not say whether it may work on approved plans.",
  not_offered: "The agent may read. With --read-only it gets no tools that write.",
};

const howToOffer = "The MCP server offers the tools for this work only with --work or INNKEEP_MCP_WORK=true.";

const claim: Route = { ...routes.agent.claimRun, summary: "" };

/** Whether the token may claim plans. Sends a claim without a worker, which the server always refuses. */
async function mayWork(invocation: Invocation, found: FoundCredential): Promise<WorkPermission> {
  const send = connect({ ...invocation, credential: async () => found }, { attempts: 1, timeoutMs: 5_000 });
  try {
    await send(claim, { params: { runId: "00000000-0000-4000-8000-000000000000" }, body: {} });
    return "unknown";
  } catch (error) {
    // The server always refuses this claim. The status of the error shows whether the token may claim plans.
    return error instanceof ServerError ? (permissionByStatus[error.status] ?? "unknown") : "unknown";
  }
}

const permissionByStatus: Readonly<Record<number, WorkPermission>> = {
  400: "allowed",
  403: "no_scope",
  404: "no_claims",
  405: "no_claims",
  501: "no_claims",
};
