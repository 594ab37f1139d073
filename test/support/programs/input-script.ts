import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CommandLineOptions, createCommandLine, type Ran } from "../clients/command-line.ts";
import { inputPath } from "../files/inputs.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

/** A command `innkeep …` of a shell script. */
export interface ScriptCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const recorder = `#!/bin/sh
{ printf '%s\\0' "$PWD"; env -0; printf '\\0'; printf '%s\\0' "$@"; printf '\\0'; } >> "$RECORD"
`;

/** Runs a script of the inputs in a new folder. Returns the commands that it would start, in their order. */
export async function commandsOfScript(name: string, ...words: readonly string[]): Promise<ScriptCommand[]> {
  const folder = await temporaryFolder();
  const record = join(folder, "record");
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "innkeep"), recorder);
  await chmod(join(folder, "bin", "innkeep"), 0o755);
  const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, RECORD: record, HOME: folder };
  // A script may use the results of a command, and end with an error.
  await promisify(execFile)("sh", [inputPath(name), ...words], { cwd: folder, env }).catch(() => {});
  const parts = (await readFile(record, "utf8")).split("\0\0");
  return parts.slice(0, -1).flatMap((part, at) => {
    if (at % 2 === 1) return [];
    const [cwd = "", ...variables] = part.split("\0");
    const argv = (parts[at + 1] ?? "").split("\0");
    const pairs = variables.map((variable) => variable.split(/=(.*)/s));
    return [{ cwd, argv, env: Object.fromEntries(pairs.map(([key = "", value = ""]) => [key, value])) }];
  });
}

/** Runs a command of a script in this process. */
export async function runScriptCommand(
  { argv, env, cwd }: ScriptCommand,
  { world, ...options }: CommandLineOptions = {},
): Promise<Ran> {
  const line = await createCommandLine(env);
  return line.run(argv, { ...options, world: { cwd, home: env.HOME ?? cwd, ...world } });
}
