import type { Command } from "commander";
import { routes } from "../../client/calls/routes.ts";
import { waitForDecision } from "../../client/waiting/wait-for-decision.ts";
import type { Message, Run, Thread } from "../../contract/agent.ts";
import { lastingClient } from "../core/connection/connect.ts";
import { usageError } from "../core/failures/cli-error.ts";
import type { Exit } from "../core/failures/exit-codes.ts";
import { duration } from "../core/input/duration.ts";
import { mutates, views } from "../core/input/flags.ts";
import { textOf } from "../core/input/text-flag.ts";
import { details } from "../core/output/details.ts";
import { formatDuration } from "../core/output/format-duration.ts";
import { note, printOne } from "../core/output/output.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Invocation } from "../core/program/context.ts";

export function addAgent(agent: Command, setup: Setup): void {
  const thread = agent.command("thread <id>").alias("show").description(routes.agent.readThread.summary);
  commandAction(views(thread), setup, showThread);

  const propose = mutates(agent.command("propose <thread>").description(routes.agent.propose.summary))
    .requiredOption("--summary <text>", "what you found; `-` is standard input, `@file` a file")
    .requiredOption("--plan <text>", "what you would do, step by step")
    .option(
      "--expected-run <run>",
      "the newest proposal that you know, or `none`: refused where another came since",
    );
  commandAction(propose, setup, proposePlan);

  const decision = agent
    .command("decision <run>")
    .description("Read the decision on a proposal: exit 0 approved, 9 rejected, 8 nobody has decided yet")
    .option("--wait <time>", "wait for it up to this long: 8h, 30m, 90s", duration);
  commandAction(views(decision), setup, showDecision);
}

async function showThread(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const thread = await invocation.client().agent.readThread({ params: { id: threadIdOf(given) } });
  printOne(invocation, thread, () => threadLines(thread));
}

async function proposePlan(
  invocation: Invocation,
  flags: { readonly summary: string; readonly plan: string; readonly expectedRun?: string },
  given: string,
): Promise<undefined> {
  const body = {
    summary: await textOf(invocation, "--summary", flags.summary),
    plan: await textOf(invocation, "--plan", flags.plan),
    expectedRunId: flags.expectedRun === "none" ? null : flags.expectedRun,
  };
  const run = await invocation.client().agent.propose({ params: { id: threadIdOf(given) }, body });
  note(
    invocation,
    `Proposed. A person decides in the console; \`innkeep agent decision ${run.runId} --wait 8h\` waits.`,
  );
  printOne(invocation, run, () => run.runId);
}

async function showDecision(
  invocation: Invocation,
  { wait = 0 }: { readonly wait?: number },
  runId: string,
): Promise<Exit> {
  const { clock, signal, io } = invocation.context;
  const client = wait > 0 ? lastingClient(invocation) : invocation.client();
  const run = await waitForDecision(client, runId, {
    seconds: wait,
    clock,
    signal,
    onTick: io.stderr.isTerminal
      ? (left) => note(invocation, `Nobody has decided yet. ${formatDuration(left)} left.`)
      : undefined,
  });
  printOne(invocation, run, () => decisionLines(run));
  return exitsByStatus[run.status] ?? "unexpected";
}

const exitsByStatus: Readonly<Record<string, Exit>> = {
  approved: "ok",
  awaiting_approval: "pending",
  rejected: "rejected",
};

/** The id in a console link, which ends with it, or the id itself. */
function threadIdOf(given: string): string {
  if (!given.includes("/")) return given;
  const id = URL.canParse(given) ? new URL(given).pathname.split("/").filter(Boolean).at(-1) : undefined;
  if (id === undefined) throw usageError(`${given} is neither an id nor a console link.`);
  return id;
}

const decisionLines = ({ id, status, decisionNote, decidedAt, replacedBy, planSha256 }: Run): string =>
  details({
    run: id,
    status,
    decided: decidedAt,
    note: decisionNote,
    "replaced by": replacedBy,
    "plan sha256": planSha256,
  });

function threadLines({ app, feedback, messages, latestProposal }: Thread): string {
  const head = details({
    thread: feedback.id,
    app: app.name,
    subject: feedback.subject,
    category: feedback.category,
    status: feedback.status,
    created: feedback.createdAt,
    console: feedback.consoleUrl,
    issue: feedback.githubIssueUrl,
    proposal: latestProposal && `${latestProposal.status} ${latestProposal.id}`,
  });
  return [head, feedback.message, ...messages.map(messageLines)].join("\n\n");
}

const messageLines = ({ direction, body, createdAt }: Message): string =>
  `${direction} ${createdAt}\n${body}`;
