import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { redactText } from "../../client/redact.ts";
import { isTemporary } from "../../client/wait.ts";
import { limits } from "../../contract/limits.ts";
import type { Run } from "../../contract/runs.ts";
import { writePrivately } from "../../credentials/folders.ts";
import { fromTerminal } from "../../words/terminal.ts";
import type { Context, Invocation } from "../core/context.ts";
import { printable } from "../core/plain-text.ts";

/** Another worker of the account may take a claim up after 15 minutes of silence. */
const minutes = 10;

interface Beating {
  readonly client: Pick<Client, "agent">;
  readonly context: Pick<Context, "clock">;
}

/** Does the work of a claim, and tells the server from time to time that it still goes on. (rule L72) */
export async function heard<Result>(
  beating: Beating,
  claimed: Claimed,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const heartbeats = beat(beating, claimed, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await heartbeats;
  }
}

/** Ends with the signal, and if the server refuses: the outcome will say why. */
async function beat(
  { client, context }: Beating,
  { run, claimId }: Claimed,
  signal: AbortSignal,
): Promise<void> {
  for (let passed = minutes; ; passed += minutes) {
    try {
      await context.clock.sleep(minutes * 60_000, signal);
      const body = { claimId, text: `The command has run for ${passed} minutes.` };
      await client.agent.reportProgress({ params: { runId: run.id }, body, signal });
    } catch (error) {
      if (signal.aborted || (error instanceof ServerError && !isTemporary(error))) return;
    }
  }
}

/** A claimed proposal. */
export interface Claimed {
  readonly claimId: string;
  readonly run: Run;
}

export interface CarriedOut {
  readonly code: number;
  readonly received: NodeJS.Signals | undefined;
  /** For the outcome: how it ended, and the end of its output if that was asked for. */
  readonly summary: string;
}

export interface Order {
  readonly command: readonly string[];
  readonly reportOutput: boolean;
  /** The secrets of Innkeep in the environment that the command gets all the same, by their names. */
  readonly pass: readonly string[];
  /** Hears the id of its process. */
  readonly onStart: (processId: number) => void;
}

/** Why a claimed proposal must not be carried out; undefined if it may be. */
export function refusalOf({ run }: Claimed): string | undefined {
  if (run.status !== "approved") return `The proposal reads ${run.status}. Nothing was done.`;
  const hash = createHash("sha256").update(run.plan, "utf8").digest("hex");
  return hash === run.planSha256
    ? undefined
    : "The plan does not have the SHA-256 that the server names. Nothing was done.";
}

/**
 * Runs the command for a claimed proposal. It finds the plan in a file that only this user can read, and that is removed
 * afterwards. The secrets of Innkeep are not in its environment, except those that `pass` names.
 */
export async function carryOut(
  invocation: Invocation,
  { run, claimId }: Claimed,
  { command, reportOutput, pass, onStart }: Order,
): Promise<CarriedOut> {
  const { context, flags, stateFolder } = invocation;
  const folder = join(stateFolder, "work", claimId);
  const file = join(folder, "plan.md");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writePrivately(file, run.plan, context.newId);
    const { runCommand } = await import("../../local/run-command.ts");
    if (context.signal.aborted) return notStarted;
    let end = "";
    const { code, received } = await runCommand({
      command,
      env: { ...withoutSecrets(context.env, pass), ...variablesOf(invocation, run, file) },
      platform: context.platform,
      cwd: context.cwd,
      toStderr: flags.json === true,
      onStart,
      onOutput: reportOutput
        ? (text) => {
            end = (end + text).slice(-keptCharacters);
          }
        : undefined,
    });
    return { code, received, summary: summaryOf(code, end) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An interruption came after the claim: without this, the command would start and hear nothing of it. */
const notStarted: CarriedOut = {
  code: 130,
  received: "SIGINT",
  summary: "The worker was interrupted before it started the command. Nothing was done.",
};

const keptCharacters = 8_000;

/** Tokens, keys and secrets; and the addresses of services, which hold passwords. */
const secretVariable =
  /^INNKEEP_(?:(?:.*_)?(?:TOKEN|KEY|SECRET)(?:_.*)?|(?:DATABASE|S3|SMTP|IMAP)_URL|IDENTITY_PROVIDERS)$/i;

const withoutSecrets = (env: Context["env"], pass: readonly string[]) =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !secretVariable.test(name) || pass.includes(name)),
  );

function variablesOf({ baseUrl }: Invocation, run: Run, planFile: string) {
  const given = {
    INNKEEP_BASE_URL: baseUrl(),
    INNKEEP_RUN_ID: run.id,
    INNKEEP_FEEDBACK_ID: run.feedbackId,
    INNKEEP_THREAD_URL: run.consoleUrl,
    INNKEEP_PLAN_FILE: planFile,
    INNKEEP_PLAN_HASH: run.planSha256,
    INNKEEP_SUMMARY: run.summary,
    INNKEEP_DECISION_NOTE: run.decisionNote ?? "",
  };
  // A variable cannot hold a zero byte.
  const texts = Object.entries(given).map(([name, value]) => [name, value.replaceAll("\0", "")]);
  return Object.fromEntries(texts);
}

function summaryOf(code: number, output: string): string {
  const ended = `The command ended with exit code ${code}.`;
  const text = redactText(printable(fromTerminal(output))).trim();
  if (text === "") return ended;
  const room = limits.outcome - ended.length - 2;
  return `${ended}\n\n${text.length > room ? text.slice(-room).replace(/^(?:[^\n]*\n|[\uDC00-\uDFFF])/, "") : text}`;
}
