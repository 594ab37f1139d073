import * as z from "zod/mini";
import { runStep, variablesOf } from "./actions-runner.ts";
import { parsed, runShell } from "./ci-workflows.ts";

const Texts = z.record(z.string(), z.string());
const Step = z.object({
  id: z.optional(z.string()),
  if: z.optional(z.string()),
  run: z.optional(z.string()),
  uses: z.optional(z.string()),
  with: z.optional(z.record(z.string(), z.union([z.string(), z.boolean()]))),
  env: z.optional(Texts),
});

const Workflow = z.object({
  name: z.string(),
  on: z.unknown(),
  env: z.optional(Texts),
  jobs: z.record(z.string(), z.looseObject({ steps: z.array(Step) })),
});

/** A workflow of GitHub Actions. Throws if it does not have that form. */
export const readGitHubWorkflow = (text: string): z.output<typeof Workflow> => Workflow.parse(parsed(text));

export interface GitHubJob {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly matrix?: unknown;
}

type Texts = Readonly<Record<string, string | boolean>>;

/** Runs the steps of a job as GitHub does, without other actions than ours. */
export async function runGitHubJob(text: string, name: string, job: GitHubJob) {
  const { jobs, env = {} } = readGitHubWorkflow(text);
  const outputs: Record<string, Record<string, string>> = {};
  let status: "success" | "failure" = "success";
  let log = "";
  const filledIn = (texts: Texts = {}) =>
    Object.fromEntries(
      Object.entries(texts).map(([field, value]) => [field, filled(String(value), job, outputs)]),
    );
  for (const step of jobs[name]?.steps ?? []) {
    if (!runsIn(step.if, status) || (step.uses && !step.uses.startsWith("innkeep/"))) continue;
    const variables = { ...job.env, ...env, ...filledIn(step.env) };
    const { folder: workspace, matrix } = job;
    const ended = step.uses
      ? await runStep({ with: filledIn(step.with), env: variables, status, workspace, matrix })
      : await runShell(filled(step.run ?? "", job, outputs), {
          cwd: workspace,
          env: { ...variablesOf(workspace), ...variables },
        });
    if (step.id && "outputs" in ended) outputs[step.id] = ended.outputs;
    log += `${ended.log}\n`;
    if (ended.code !== 0) status = "failure";
  }
  return { status, log };
}

function runsIn(condition: string | undefined, status: string): boolean {
  if (condition === undefined) return status === "success";
  if (condition === "always()") return true;
  if (condition === "failure()") return status === "failure";
  throw new Error(`The runner of the tests does not know ${condition}`);
}

/** The text with the values of its expressions. Throws for one without a value. */
function filled(
  text: string,
  { secrets }: GitHubJob,
  outputs: Record<string, Record<string, string>>,
): string {
  return text.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
    const [kind, first = "", , output = ""] = expression.split(".");
    const event = new Map([
      ["github.token", "ghs_test"],
      ["github.event.number", "12"],
    ]);
    const own = kind === "secrets" ? secrets[first] : outputs[first]?.[output];
    const value = event.get(expression) ?? own;
    if (value === undefined) throw new Error(`${expression} has no value.`);
    return value;
  });
}
