import type { Command } from "commander";
import type { ServeFlags } from "../programs.ts";
import type { Exit } from "./core/cli-error.ts";
import { addExamples, commandAction, type Setup, wholeNumber } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";

export function addServe(serve: Command, setup: Setup): void {
  serve
    .option("--host <address>", "address to listen on; default: 127.0.0.1 (INNKEEP_HOST)")
    .option("--port <number>", "port to listen on; default: 4700 (INNKEEP_PORT)", wholeNumber)
    .option("--data <folder>", "folder of the database and the files; default: ./.innkeep (INNKEEP_DATA)")
    .option(
      "--database-url <url>",
      "address of a PostgreSQL database, used instead of a file (INNKEEP_DATABASE_URL)",
    )
    .option("--console-url <url>", "address at which people reach the console (INNKEEP_CONSOLE_URL)")
    .option("--demo", "create a small demo app, and print its key, tokens and links")
    .option(
      "--dev",
      "for development: you can move the clock, cause faults and read all messages that the server would send; the server listens on loopback only",
    )
    .option(
      "--seed <file>",
      "with --dev and --demo, fill the server from a JSON or YAML file instead of the demo app",
    )
    .addHelpText("after", "\n--base-url is the address under which clients reach this server.");
  addExamples(
    serve,
    "innkeep serve --demo",
    "innkeep serve --data /srv/innkeep --base-url https://inn.example.org",
  );
  commandAction<ServeFlags>(serve, setup, start);
}

async function start({ context }: Invocation, flags: ServeFlags): Promise<Exit> {
  const { host, port, data, databaseUrl, baseUrl, consoleUrl, demo, dev, seed, json } = flags;
  const code = await context.programs.serve({
    host,
    port,
    data,
    databaseUrl,
    baseUrl,
    consoleUrl,
    demo,
    dev,
    seed,
    json,
  });
  return code === 0 ? "ok" : "unexpected";
}
