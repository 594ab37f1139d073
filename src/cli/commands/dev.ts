import type { Command } from "commander";
import type { ServeFlags } from "../../programs.ts";
import type { Exit } from "../core/failures/exit-codes.ts";
import { wholeNumber } from "../core/input/flags.ts";
import { note } from "../core/output/output.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Invocation } from "../core/program/context.ts";

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
    .addHelpText("after", execHelp);
  commandAction<ExecFlags, string[]>(exec, setup, async (invocation, { seed, keep }, command) => {
    const { io, programs } = invocation.context;
    const warn = (text: string) => io.stderr.write(`${text}\n`);
    const tell = (text: string) => note(invocation, text);
    return { code: await programs.devExec({ command, seed, keep, note: tell, warn }) };
  });
}

const execHelp = `
Write -- before the command. It finds the server and its keys in its environment: INNKEEP_BASE_URL,
INNKEEP_API_KEY, INNKEEP_AGENT_TOKEN, INNKEEP_TOKEN, INNKEEP_DEVICE_TOKEN, INNKEEP_TEST_KEY, INNKEEP_APP.
The exit code is that of the command.`;
