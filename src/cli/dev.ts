import type { Command, CommanderError } from "commander";
import type { ServeFlags } from "../programs.ts";
import { clock } from "./clock.ts";
import { group } from "./core/administer.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import type { Exit } from "./core/exit-codes.ts";
import { wholeNumber } from "./core/flags.ts";
import { note } from "./core/output.ts";
import { addFault, clearFaults, type FaultFlags, listFaults } from "./faults.ts";
import { listSnapshots, loadSnapshot, reset, saveSnapshot } from "./state.ts";

const seedHelp = "fill it from a file of JSON or YAML with apps, FAQ, release notes and feedback";

export function addDev(dev: Command, setup: Setup): void {
  dev
    .option("--port <number>", "port to listen on; 4700 or the next free one unless given", wholeNumber)
    .option("--data <folder>", "folder of the database and the files; ./.innkeep/demo unless given")
    .option("--database-url <url>", "PostgreSQL instead of a file")
    .option("--seed <file>", seedHelp)
    .addHelpText(
      "after",
      "\nIt listens on this machine only and sends no messages. See docs/development.md.",
    );
  commandAction<ServeFlags>(dev, setup, start);
  addExec(dev, setup);
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
    .description("Run a command with a server of its own, and leave nothing behind")
    .option("--seed <file>", seedHelp)
    .option("--keep", "keep the server's folder, and print where it is")
    .addHelpText("after", execHelp)
    .exitOverride(sayWhereCommandGoes);
  commandAction<ExecFlags, string[]>(exec, setup, async (invocation, { seed, keep }, command) => {
    const { io, programs } = invocation.context;
    const warn = (text: string) => io.stderr.write(`${text}\n`);
    const tell = (text: string) => note(invocation, text);
    return { code: await programs.devExec({ command, seed, keep, note: tell, warn }) };
  });
}

/** The flags of a command that is not after `--` are read as flags of `dev exec`. */
function sayWhereCommandGoes(error: CommanderError): never {
  if (error.code !== "commander.unknownOption") throw error;
  const [, flag = ""] = /'([^']*)'/.exec(error.message) ?? [];
  throw usageError(
    `${flag} is no flag of \`innkeep dev exec\`.`,
    "Write the command after --: innkeep dev exec -- node -e 0",
  );
}

const execHelp = `
Write -- before the command. It finds the server and its keys in its environment: INNKEEP_BASE_URL,
INNKEEP_API_KEY, INNKEEP_AGENT_TOKEN, INNKEEP_TOKEN, INNKEEP_DEVICE_TOKEN, INNKEEP_TEST_KEY, INNKEEP_APP.
The exit code is that of the command.`;

function addClock(dev: Command, setup: Setup): void {
  const move = dev
    .command("clock")
    .description("Show the server's time, or move its clock")
    .argument("[move...]", "+1d, -2h30m or P1D; or `set` and an instant")
    // A move backwards looks like a flag.
    .allowUnknownOption()
    .addHelpText("after", "\nWhat time changes by itself has happened before the command ends.");
  commandAction<object, string[]>(move, setup, (invocation, _, words) => clock(invocation, words));
}

function addFaults(dev: Command, setup: Setup): void {
  const faults = group(dev, "faults", "Requests that fail or wait on purpose");
  const add = faults
    .command("add <path>")
    .description("Make the next requests to a path, and to all paths below it, fail or wait")
    .option("--status <number>", "the status that they get: 400 to 599", wholeNumber)
    .option("--code <code>", "the error code that they get, such as device_taken")
    .option("--times <number>", "for how many requests; 1 unless given", wholeNumber)
    .option("--delay-ms <number>", "how long they wait first, in milliseconds", wholeNumber);
  commandAction<FaultFlags, string>(add, setup, addFault);
  const list = faults.command("list").alias("ls").description("List the faults that are left");
  commandAction(list, setup, listFaults);
  const clear = faults.command("clear").description("Remove all faults");
  commandAction(clear, setup, clearFaults);
}

function addState(dev: Command, setup: Setup): void {
  const back = dev
    .command("reset")
    .description("Set the server back to its start: real time, its first content");
  commandAction(back, setup, reset);
  const snapshot = group(dev, "snapshot", "Copies of database, files and clock, by name");
  const save = snapshot
    .command("save <name>")
    .description("Save the server's state, in place of an older one");
  commandAction<object, string>(save, setup, (invocation, _, name) => saveSnapshot(invocation, name));
  const load = snapshot.command("load <name>").description("Load a snapshot into the server");
  commandAction<object, string>(load, setup, (invocation, _, name) => loadSnapshot(invocation, name));
  const list = snapshot.command("list").alias("ls").description("List the snapshots");
  commandAction(list, setup, listSnapshots);
}
