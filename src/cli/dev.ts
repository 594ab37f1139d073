import type { Command, CommanderError } from "commander";
import { fieldsOf } from "../contract/json.ts";
import { isoDuration } from "../local/clock-move.ts";
import type { ServeFlags } from "../programs.ts";
import { group } from "./core/administer.ts";
import { type Exit, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, ofApp, type Setup, several, wholeNumber } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { note, printList, printOne } from "./core/output.ts";
import { callDevServer, itemsOf } from "./dev/development-server.ts";
import type { ListenFlags, TriggerFlags } from "./dev/events.ts";

const seedHelp = "fill the server from a JSON or YAML file with apps, FAQ, release notes and feedback";

export function addDev(dev: Command, setup: Setup): void {
  dev
    .option("--port <number>", "port to listen on; default: 4700, or the next free port", wholeNumber)
    .option("--data <folder>", "folder of the database and the files; default: ./.innkeep/demo")
    .option("--database-url <url>", "address of a PostgreSQL database, used instead of a file")
    .option("--seed <file>", seedHelp)
    .addHelpText(
      "after",
      "\nThe server listens on this machine only and sends no messages. See docs/development.md.",
    );
  addExamples(dev, "innkeep dev", "innkeep dev --seed seed.yaml");
  commandAction<ServeFlags>(dev, setup, start);
  addExec(dev, setup);
  addListen(dev, setup);
  addTrigger(dev, setup);
  addClock(dev, setup);
  addFaults(dev, setup);
  addState(dev, setup);
}

async function start({ context }: Invocation, flags: ServeFlags): Promise<Exit> {
  const { port, data, databaseUrl, baseUrl, seed, json } = flags;
  const code = await context.programs.serve({
    ...{ port, data, databaseUrl, baseUrl, seed, json },
    ...{ demo: true, dev: true, local: true },
  });
  return code === 0 ? "ok" : "unexpected";
}

interface ExecFlags {
  readonly seed?: string;
  readonly keep?: boolean;
}

function addExec(dev: Command, setup: Setup): void {
  const exec = dev
    .command("exec <command...>")
    .description("Start a new server, run a command that uses it, and then delete the server's data")
    .option("--seed <file>", seedHelp)
    .option("--keep", "keep the server's folder, and print where it is")
    .addHelpText("after", execHelp)
    .exitOverride(explainCommandPosition);
  addExamples(
    exec,
    "innkeep dev exec -- npm test",
    "innkeep dev exec --seed seed.yaml -- npx playwright test",
  );
  commandAction<ExecFlags, string[]>(exec, setup, async (invocation, { seed, keep }, command) => {
    const { io, programs } = invocation.context;
    const warn = (text: string) => io.stderr.write(`${text}\n`);
    const tell = (text: string) => note(invocation, text);
    return { code: await programs.devExec({ command, seed, keep, note: tell, warn }) };
  });
}

/** Throws a usage error for an unknown flag. The flag may belong to the command that the person runs. */
function explainCommandPosition(error: CommanderError): never {
  if (error.code !== "commander.unknownOption") throw error;
  const [, flag = ""] = /'([^']*)'/.exec(error.message) ?? [];
  throw usageError(
    `${flag} is not a flag of \`innkeep dev exec\`.`,
    "Write the command after --: innkeep dev exec -- node -e 0",
  );
}

const execHelp = `
Write -- before the command. The environment of the command contains the address and the keys of the server:
INNKEEP_BASE_URL, INNKEEP_API_KEY, INNKEEP_AGENT_TOKEN, INNKEEP_TOKEN, INNKEEP_DEVICE_TOKEN, INNKEEP_TEST_KEY and
INNKEEP_APP. The exit code is that of the command.`;

function addListen(dev: Command, setup: Setup): void {
  const listen = dev
    .command("listen")
    .description("Send the events of an app to an address of this machine, as a webhook would get them")
    .requiredOption("--forward-to <url>", "the address: a URL, host:port/path, or only :port/path")
    .option(
      "--events <types>",
      "only these types, comma separated; `run.*` means all types that begin with `run.`",
    )
    .option("--since <time>", "first send the events since this time: 2h or 90m ago, or an instant")
    .addHelpText("after", listenHelp);
  addExamples(
    listen,
    "innkeep dev listen --forward-to http://127.0.0.1:3000/webhooks",
    "innkeep dev listen --forward-to :3000/webhooks --events feedback.created,run.* --since 2h",
  );
  commandAction<ListenFlags>(ofApp(listen), setup, async (invocation, flags) =>
    (await import("./dev/events.ts")).listen(invocation, flags),
  );
}

const listenHelp = `
The command works with any server, also a remote one. It needs a maintainer token with the scope events:read, and opens no
port. It signs messages as a webhook does (Standard Webhooks), with a secret that it prints at its start.
INNKEEP_WEBHOOK_SECRET sets another secret. After an interruption of the server or the network, the command also sends the
events that happened in the meantime. On a terminal, the key r sends the last event again, and Ctrl+C ends the command.`;

function addTrigger(dev: Command, setup: Setup): void {
  const trigger = dev
    .command("trigger <event>")
    .description("Cause an event on a development server")
    .option("--set <path=value>", "a field of the event's request, or `path:=json`; repeatable", several)
    .option("--app <id>", "id or name of the app; default: the oldest app")
    .addHelpText("after", triggerHelp);
  addExamples(
    trigger,
    "innkeep dev trigger feedback.created --set message='It crashes' --set metadata.os=Android",
    "innkeep dev trigger run.decided --set decision=reject",
    "innkeep dev trigger seat.at_risk",
  );
  commandAction<TriggerFlags, string>(trigger, setup, async (invocation, flags, event) =>
    (await import("./dev/events.ts")).trigger(invocation, flags, event),
  );
}

const triggerHelp = `
The server causes the event in the same way as an app, a person, an agent or a tester does. So all events that follow from it happen, too.
--set changes the fields of the request for a report, a proposal, a decision, an FAQ entry, and so on. docs/development.md
lists these fields. feedbackId and runId name an existing thread and an existing proposal. seat.at_risk, seat.removed, cycle.started and
cycle.completed move the server's clock.`;

function addClock(dev: Command, setup: Setup): void {
  const move = dev
    .command("clock")
    .description("Show the server's time, or move its clock")
    .argument("[move...]", "+1d, -2h30m or P1D; or `set` and an instant")
    // A negative duration looks like a flag.
    .allowUnknownOption()
    .addHelpText(
      "after",
      "\nThe command ends when the server has done all work that is scheduled up to the new time.",
    );
  addExamples(
    move,
    "innkeep dev clock +1d",
    "innkeep dev clock -2h",
    "innkeep dev clock set 2027-03-01T09:00:00Z",
  );
  commandAction<object, string[]>(move, setup, (invocation, _, words) => clock(invocation, words));
}

function addFaults(dev: Command, setup: Setup): void {
  const faults = group(dev, "faults", "Requests that fail or wait on purpose");
  const add = faults
    .command("add <path>")
    .description("Make the next requests to a path, and to all paths below it, fail or wait")
    .option("--status <number>", "the HTTP status of the answers, from 400 to 599", wholeNumber)
    .option("--code <code>", "the error code of the answers, such as device_taken")
    .option("--times <number>", "for how many requests; default: 1", wholeNumber)
    .option(
      "--delay-ms <number>",
      "how long the requests wait before they are answered, in milliseconds",
      wholeNumber,
    );
  addExamples(add, "innkeep dev faults add /api/v1/feedback --status 503 --times 2 --delay-ms 1500");
  commandAction<FaultFlags, string>(add, setup, addFault);
  const list = faults.command("list").alias("ls").description("List the faults that are still active");
  addExamples(list, "innkeep dev faults list");
  commandAction(list, setup, listFaults);
  const clear = faults.command("clear").description("Remove all faults");
  addExamples(clear, "innkeep dev faults clear");
  commandAction(clear, setup, clearFaults);
}

function addState(dev: Command, setup: Setup): void {
  const back = dev.command("reset").description("Reset the server to the real time and its first content");
  addExamples(back, "innkeep dev reset");
  commandAction(back, setup, reset);
  const snapshot = group(dev, "snapshot", "Named copies of the database, the files and the clock");
  const save = snapshot
    .command("save <name>")
    .description("Save the server's state; replaces a snapshot with the same name");
  addExamples(save, "innkeep dev snapshot save day-9");
  commandAction<object, string>(save, setup, (invocation, _, name) => saveSnapshot(invocation, name));
  const load = snapshot.command("load <name>").description("Load a snapshot into the server");
  addExamples(load, "innkeep dev snapshot load day-9");
  commandAction<object, string>(load, setup, (invocation, _, name) => loadSnapshot(invocation, name));
  const list = snapshot.command("list").alias("ls").description("List the snapshots");
  addExamples(list, "innkeep dev snapshot list");
  commandAction(list, setup, listSnapshots);
}

/** Shows the server's time, or moves its clock. `words` are the arguments. */
async function clock(invocation: Invocation, words: readonly string[]): Promise<undefined> {
  const path = "/dev/clock";
  const body = moveOf(words);
  const answer = await callDevServer(
    invocation,
    body === undefined ? { method: "GET", path } : { method: "POST", path, body },
  );
  printOne(invocation, answer, () => String(fieldsOf(answer).now));
}

function moveOf(words: readonly string[]): object | undefined {
  const [first, second] = words;
  if (first === undefined) return undefined;
  if (first === "set" && second !== undefined && words.length === 2) return { set: second };
  const advance = words.length === 1 ? isoDuration(first) : undefined;
  if (advance !== undefined) return { advance };
  throw usageError(
    `\`${words.join(" ")}\` does not move a clock.`,
    "Give +1d, -2h30m or P1D, or `set` and an instant such as 2027-03-01T09:00:00Z.",
  );
}

const faultsPath = "/dev/faults";

interface FaultFlags {
  readonly status?: number;
  readonly code?: string;
  readonly times?: number;
  readonly delayMs?: number;
}

/** Makes the next requests to a path fail or wait. */
async function addFault(
  invocation: Invocation,
  { status, code, times, delayMs }: FaultFlags,
  faultPath: string,
): Promise<undefined> {
  const body = { path: faultPath, status, code, times, delayMs };
  const answer = await callDevServer(invocation, { method: "POST", path: faultsPath, body });
  printOne(invocation, answer, () => sentenceOf(fieldsOf(answer)));
}

async function listFaults(invocation: Invocation): Promise<undefined> {
  const items = itemsOf(await callDevServer(invocation, { method: "GET", path: faultsPath }));
  printList(invocation, {
    items,
    columns: [
      { heading: "path", of: (fault) => fault.path },
      { heading: "status", of: (fault) => fault.status },
      { heading: "code", of: (fault) => fault.code },
      { heading: "times", of: (fault) => fault.times },
      { heading: "delayMs", of: (fault) => fault.delayMs },
    ],
  });
}

async function clearFaults(invocation: Invocation): Promise<undefined> {
  await callDevServer(invocation, { method: "DELETE", path: faultsPath });
  printOne(invocation, { cleared: true }, () => "All faults were removed.");
}

function sentenceOf({ path: of, status, code, times, delayMs }: Readonly<Record<string, unknown>>): string {
  const requests = times === 1 ? "The next request" : `The next ${times} requests`;
  const wait = delayMs === 0 ? [] : [`wait ${delayMs} ms`];
  const end = status === null ? [] : [`get ${status} ${code}`];
  return `${requests} to ${of}: ${[...wait, ...end].join(", then ")}.`;
}

const snapshotsPath = "/dev/snapshots";

/** Resets the server to its first content and the real time. */
async function reset(invocation: Invocation): Promise<undefined> {
  const answer = await callDevServer(invocation, { method: "POST", path: "/dev/reset" });
  printOne(invocation, answer, () => `The server is reset. Its time is ${fieldsOf(answer).now}.`);
}

async function saveSnapshot(invocation: Invocation, name: string): Promise<undefined> {
  const answer = await callDevServer(invocation, { method: "POST", path: snapshotsPath, body: { name } });
  printOne(invocation, answer, () => `Saved ${name}: ${contentOf(answer)}.`);
}

async function loadSnapshot(invocation: Invocation, name: string): Promise<undefined> {
  const at = `${snapshotsPath}/${encodeURIComponent(name)}/load`;
  const answer = await callDevServer(invocation, { method: "POST", path: at });
  printOne(invocation, answer, () => `Loaded ${name}: ${contentOf(answer)}.`);
}

async function listSnapshots(invocation: Invocation): Promise<undefined> {
  const items = itemsOf(await callDevServer(invocation, { method: "GET", path: snapshotsPath }));
  printList(invocation, {
    items,
    columns: [
      { heading: "name", of: (snapshot) => snapshot.name },
      { heading: "time", of: (snapshot) => snapshot.now },
      { heading: "rows", of: (snapshot) => snapshot.rows },
      { heading: "files", of: (snapshot) => snapshot.files },
    ],
  });
}

function contentOf(answer: unknown): string {
  const { rows, files, now } = fieldsOf(answer);
  return `${rows} rows and ${files} files; the server's time is ${now}`;
}
