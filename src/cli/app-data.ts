import type { Command } from "commander";
import type { DatabaseChoice } from "../programs.ts";
import { administer, onDatabase } from "./core/administer.ts";
import { addExamples, commandAction, ofApp, type Setup } from "./core/command.ts";
import { explainMissingConsole } from "./core/missing-endpoints.ts";
import type { ExportFlags } from "./export-app.lazy.ts";

/** Adds the flags of `innkeep export`. The command needs a token of an owner with the scope `apps:export`. */
export function addExport(command: Command, setup: Setup): void {
  ofApp(command)
    .option("--files", "also download the files of the app; the result is a tar archive")
    .option("--output <file>", "the file to write; default: a new file in this folder")
    .option("--force", "replace the file if it exists");
  addExamples(
    command,
    "innkeep export --app Larder --files",
    "innkeep export --app Larder --output larder.ndjson --force",
  );
  commandAction<ExportFlags>(command, setup, (invocation, flags) =>
    explainMissingConsole(invocation, async () =>
      (await import("./export-app.lazy.ts")).exportApp(invocation, flags),
    ),
  );
}

interface ImportFlags extends DatabaseChoice {
  readonly owner: string;
  readonly name?: string;
}

/** Adds the flags of `innkeep import`. Only the person who runs the server uses this command. */
export function addImport(command: Command, setup: Setup): void {
  onDatabase(command.argument("<file>", "the file that `innkeep export` wrote"))
    .requiredOption("--owner <email>", "the account that owns the new app")
    .option("--name <name>", "the name of the new app; default: the name in the file");
  addExamples(
    command,
    "innkeep import Larder-2026-11-23.tar --owner ada@example.org --data /srv/innkeep --name Pantry",
  );
  commandAction<ImportFlags, string>(command, setup, (invocation, { owner, name, ...flags }, file) =>
    administer(invocation, flags, {
      ...{ command: "app import", file, owner, name },
      baseUrl: invocation.context.env.INNKEEP_BASE_URL || undefined,
    }),
  );
}
