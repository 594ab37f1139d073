import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse } from "yaml";
import * as z from "zod/mini";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { readFileCommands, readLog } from "./runner-files.ts";

const root = join(import.meta.dirname, "..", "..", "..");

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.optional(z.string()) })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
  runs: z.object({ using: z.string(), pre: z.string(), main: z.string() }),
});

/** The settings in a workflow for a step that uses the action. */
export interface Step {
  readonly with: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly matrix?: unknown;
  /** The status of the job when the step begins. */
  readonly status?: "success" | "failure" | "cancelled";
  /** Files in the workspace, by their names. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** The workspace of the job, if it exists already. */
  readonly workspace?: string;
}

/** Reads action.yml, or another file of that form. */
export const readAction = async (folder = root) =>
  Action.parse(parse(await readFile(join(folder, "action.yml"), "utf8")));

/** Runs the built action of a folder (this repository unless given) as the runner of GitHub does. */
export async function runStep(step: Step, from = root) {
  const folder = await temporaryFolder();
  const place = join(folder, "_actions", "innkeep");
  await cp(join(from, "action"), join(place, "action"), { recursive: true });
  await copyFile(join(from, "action.yml"), join(place, "action.yml"));
  const workspace = step.workspace ?? join(folder, "work");
  await mkdir(workspace, { recursive: true });
  for (const [name, content] of Object.entries(step.files ?? {})) {
    await mkdir(join(workspace, name, ".."), { recursive: true });
    await writeFile(join(workspace, name), content);
  }
  const { inputs, runs } = await readAction(place);
  const job = { ...variablesOf(folder), ...step.env, ...inputVariables(inputs, step) };
  const pre = await runPhase(join(place, runs.pre), { folder, workspace, env: job });
  const state = Object.entries(pre.state).map(([name, value]) => [`STATE_${name}`, value]);
  const env = { ...job, ...Object.fromEntries(state) };
  return { pre, workspace, ...(await runPhase(join(place, runs.main), { folder, workspace, env })) };
}

/** The variables that a runner sets in each step. */
export const variablesOf = (folder: string) => ({
  PATH: process.env.PATH ?? "",
  HOME: folder,
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/app",
  GITHUB_WORKFLOW: "Tests",
  GITHUB_WORKFLOW_REF: "example/app/.github/workflows/tests.yml@refs/heads/main",
  GITHUB_JOB: "unit",
  GITHUB_REF: "refs/heads/main",
  GITHUB_SHA: "c0ffee",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "1",
  RUNNER_OS: "Linux",
});

/** They have the form of the runner: defaults are evaluated, and only blanks in names are replaced. */
function inputVariables(inputs: z.output<typeof Action>["inputs"], step: Step): Record<string, string> {
  const unknown = Object.keys(step.with).filter((name) => !Object.hasOwn(inputs, name));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(", ")}`);
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { default: given = "" }]) => [
      `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
      step.with[name] ?? evaluated(given, step),
    ]),
  );
}

function evaluated(text: string, { matrix = null, status = "success" }: Step): string {
  const values: Record<string, string> = {
    "job.status": status,
    "toJSON(matrix)": JSON.stringify(matrix, null, 2),
  };
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`The runner of the tests does not know ${expression}`);
    return value;
  });
}

interface Phase {
  readonly folder: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts one file of the action, and reads its log and the files that it wrote for the runner. */
async function runPhase(file: string, { folder, workspace, env }: Phase) {
  const [output, state, summary] = await Promise.all(
    ["output", "state", "summary"].map(async (name) => {
      const path = join(folder, `${name}-${Math.random()}`);
      await writeFile(path, "");
      return path;
    }),
  );
  const files = { GITHUB_OUTPUT: output, GITHUB_STATE: state, GITHUB_STEP_SUMMARY: summary };
  const child = spawn(process.execPath, [file], { cwd: workspace, env: { ...env, ...files } });
  child.stdin.end();
  const lines: string[] = [];
  const streams = [child.stdout, child.stderr].map((stream) =>
    createInterface(stream).on("line", (line) => lines.push(line)),
  );
  const ended = Promise.all(streams.map((stream) => once(stream, "close")));
  const [code] = await once(child, "close");
  await ended;
  const textOf = (path = "") => readFile(path, "utf8");
  return {
    code,
    raw: lines,
    ...readLog(lines),
    outputs: readFileCommands(await textOf(output)),
    state: readFileCommands(await textOf(state)),
    summary: await textOf(summary),
  };
}
