import { type Command, Option } from "commander";
import { routes } from "../client/routes.ts";
import { waitForDecision } from "../client/wait.ts";
import type { Run } from "../contract/runs.ts";
import type { ListFlags, RunListFlags } from "./lists.ts";
import type { ClaimFlags, OutcomeFlags, ProgressFlags } from "./runs.ts";
import type { ThreadViewOptions } from "./agent/thread.ts";
import type { WorkFlags } from "./agent/work.ts";
import { choices } from "./core/choices.ts";
import { type Exit, usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { lastingClient } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { duration, mutates, several, views } from "./core/flags.ts";
import { textOf } from "./core/input.ts";
import { details, formatDuration, note, printOne } from "./core/output.ts";

export function addAgent(agent: Command, setup: Setup): void {
  addLists(agent, setup);
  addThreads(agent, setup);
  addWork(agent, setup);
  addWorker(agent, setup);
}

function addLists(agent: Command, setup: Setup): void {
  const list = agent
    .command("list")
    .alias("ls")
    .description(routes.agent.listFeedback.summary)
    .addOption(oneOf("--waiting <what>", choices.waitingStates, "what the newest proposal waits for"))
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option("--tag <name>", "only those with this tag; repeatable: those with all of them", several)
    .option("--q <words>", "only those that hold these words")
    .option("--updated-since <instant>", "only those active since then: ISO 8601, or a day in UTC")
    .option("--app-id <id>", "only those of this app")
    .option("--limit <number>", "how many at most: 20 unless set, up to 50")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--changed-after <token>", "only what changed since: `changes` of an earlier answer with --json")
    .option("--wait <time>", "wait up to this long until there is one; exit 8 if none came", duration);
  commandAction<ListFlags>(list, setup, async (invocation, flags) =>
    (await import("./lists.ts")).listFeedback(invocation, flags),
  );

  const runs = agent
    .command("runs")
    .description(routes.agent.listRuns.summary)
    .addOption(oneOf("--status <status>", choices.runStatuses))
    .option("--limit <number>", "how many at most: 20 unless set, up to 50")
    .option("--cursor <cursor>", "continue after the previous page");
  commandAction<RunListFlags>(runs, setup, async (invocation, flags) =>
    (await import("./lists.ts")).listRuns(invocation, flags),
  );
}

function addWork(agent: Command, setup: Setup): void {
  const run = agent.command("run <run>").description("Show a proposal, its decision, and the work on it");
  commandAction<object, string>(views(run), setup, async (...given) =>
    (await import("./runs.ts")).showRun(...given),
  );

  const claim = mutates(agent.command("claim <run>").description(routes.agent.claimRun.summary))
    .option(
      "--worker <name>",
      "who works on it: the same name gets the same claim again; a new name unless given",
    )
    .option(
      "--resume",
      "end the claim of another worker of your account and get a new one; unless that worker's token has ended, only after 15 minutes of silence",
    );
  commandAction<ClaimFlags, string>(claim, setup, async (...given) =>
    (await import("./runs.ts")).claimRun(...given),
  );

  const progress = mutates(agent.command("progress <run>").description(routes.agent.reportProgress.summary))
    .requiredOption("--claim <id>", "what `innkeep agent claim` printed")
    .requiredOption("--text <text>", "how far it is; `-` is standard input, `@file` a file");
  commandAction<ProgressFlags, string>(progress, setup, async (...given) =>
    (await import("./runs.ts")).reportProgress(...given),
  );

  const outcome = mutates(agent.command("outcome <run>").description(routes.agent.reportOutcome.summary))
    .requiredOption("--claim <id>", "what `innkeep agent claim` printed")
    .addOption(oneOf("--status <status>", choices.outcomeStatuses).makeOptionMandatory())
    .requiredOption("--summary <text>", "what was done; `-` is standard input, `@file` a file")
    .option("--link <url>", "where it can be seen, such as a pull request; repeatable", several);
  commandAction<OutcomeFlags, string>(outcome, setup, async (...given) =>
    (await import("./runs.ts")).reportOutcome(...given),
  );
}

function addWorker(agent: Command, setup: Setup): void {
  const worker = agent
    .command("work <command...>")
    .description("Wait for approved proposals, and run a command for each, one after another")
    .option(
      "--worker <name>",
      "the name with which it claims; only one process can have it, and a new start goes on with its work; without the flag, each start has a new name",
    )
    .option("--app <app>", "only proposals for this app, by its id or its name")
    .option("--once", "end after one proposal, with the exit code of the command")
    .option("--report-output", "add the last lines that the command prints to the outcome")
    .option(
      "--pass <name>",
      "let the command have this secret variable, such as INNKEEP_API_KEY; repeatable",
      several,
    )
    .addHelpText("after", workHelp);
  commandAction<WorkFlags, string[]>(worker, setup, async (invocation, flags, command) =>
    (await import("./agent/work.ts")).work(invocation, flags, command),
  );
}

const workHelp = `
Write -- before the command. It finds the plan in the file INNKEEP_PLAN_FILE, and in its environment INNKEEP_RUN_ID,
INNKEEP_SUMMARY, INNKEEP_DECISION_NOTE, INNKEEP_FEEDBACK_ID, INNKEEP_THREAD_URL and INNKEEP_PLAN_HASH, but no token, key or
secret of Innkeep, except those that --pass names. Credentials that innkeep auth has stored are in files or a keychain,
which the command can read if it runs as the same user.
Where the note differs from the plan, the note counts. Exit code 0 is reported as succeeded, any other as failed.`;

const oneOf = (flag: string, values: readonly string[], meaning?: string): Option =>
  new Option(flag, meaning).choices(values);

function addThreads(agent: Command, setup: Setup): void {
  const thread = agent
    .command("thread <id>")
    .alias("show")
    .description(routes.agent.readThread.summary)
    .option("--repeats", "print each of many repeats, too");
  commandAction(views(thread), setup, showThread);

  const propose = mutates(agent.command("propose <thread>").description(routes.agent.propose.summary))
    .requiredOption("--summary <text>", "what you found; `-` is standard input, `@file` a file")
    .requiredOption("--plan <text>", "what you would do, step by step")
    .option(
      "--expected-run <run>",
      "the newest proposal that you know, or `none`: refused if there is a newer one",
    );
  commandAction(propose, setup, proposePlan);

  const decision = agent
    .command("decision <run>")
    .description("Read the decision on a proposal: exit 0 approved, 9 rejected, 8 nobody has decided yet")
    .option("--wait <time>", "wait for it up to this long: 8h, 30m, 90s", duration);
  commandAction(views(decision), setup, showDecision);
}

async function showThread(
  invocation: Invocation,
  flags: ThreadViewOptions,
  given: string,
): Promise<undefined> {
  const thread = await invocation.client().agent.readThread({ params: { id: threadIdOf(given) } });
  const { threadView } = await import("./agent/thread.ts");
  printOne(invocation, thread, () => threadView(thread, flags));
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
  const { clock, signal } = invocation.context;
  const client = wait > 0 ? lastingClient(invocation) : invocation.client();
  if (wait > 0) note(invocation, `Waiting for a decision, for up to ${formatDuration(wait)}.`);
  const run = await waitForDecision(client, runId, {
    seconds: wait,
    clock,
    signal,
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
