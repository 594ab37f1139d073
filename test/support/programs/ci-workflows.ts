import { spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { readText } from "../sources/tree.ts";
import { innkeepPath } from "./built-program.ts";

/** The texts of all workflows of a page, by the names of their files. The names are in the first lines. */
export function workflowsIn(page: string): ReadonlyMap<string, string> {
  const blocks = readText(page).matchAll(/^```(?:yaml|groovy)\n(?:#|\/\/) (\S+)\n([\s\S]*?)^```/gm);
  return new Map([...blocks].map(([, file = "", text = ""]) => [file, text]));
}

/** Parses a workflow as its service does. Throws if it is not well-formed, or has a key twice. */
export const parsed = (text: string): unknown => parse(text, { strict: true, uniqueKeys: true });

/** The shell lines of a Jenkinsfile: of its stages, and of the part after them. */
export function shellLinesOf(jenkinsfile: string) {
  const lines = (text: string) => [...text.matchAll(/\bsh (['"])(.*)\1$/gm)].map(([, , line = ""]) => line);
  const [stages = "", post = ""] = jenkinsfile.split(/^ {2}post \{$/m);
  return { script: lines(stages).join("\n"), after: lines(post).join("\n") };
}

const result = (failure: string) =>
  `<testsuite name="sums"><testcase name="adds" classname="sums">${failure}</testcase></testsuite>`;

/**
 * The programs that the lines of the workflows call: `npm`, which installs nothing and whose tests fail unless there is
 * a file `green`; `innkeep`, the built program; and `gh`, which prints its arguments.
 */
export async function commandsIn(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const programs = {
    npm: `[ "$1" = install ] && exit 0
mkdir -p reports
if [ -e green ]; then echo '${result("")}' > reports/unit.xml; exit 0; fi
echo '${result('<failure message="1 is not 2"/>')}' > reports/unit.xml
echo "1 test failed: adds"; exit 1`,
    gh: 'printf "%s\\n" "$@"',
    innkeep: `exec "${process.execPath}" "${innkeepPath}" "$@"`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

interface Job {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs lines of shell as the services do, up to the first that fails. Returns the exit code and all output. */
export async function runShell(lines: string, { cwd, env }: Job) {
  const child = spawn("sh", ["-e", "-c", lines], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      log += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, log };
}
