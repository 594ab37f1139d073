import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Answering } from "../network/recording-server.ts";
import type { CommandLine } from "./command-line.ts";
import { startFeedbackSending } from "./feedback-sending.ts";

/** Writes a file into the folder of a command line. */
export async function place(
  { cwd }: Pick<CommandLine, "cwd">,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  const path = join(cwd, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** The variables of a GitHub Actions job, in a separate run. */
export const gitHubJob = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/app",
  GITHUB_WORKFLOW_REF: "example/app/.github/workflows/ci.yml@refs/heads/main",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "1",
  GITHUB_REF: "refs/heads/main",
  GITHUB_JOB: "test",
  ...more,
});

export const sendJunit = ["feedback", "send", "--junit", "junit.xml"];
export const resolveJunit = ["feedback", "resolve", "--junit", "junit.xml"];

/** A command line in the folder of the report `junit.xml`, and a server with only the specified fields. */
export async function startJunitSending(report: string, ...prepared: readonly Answering[]) {
  const sending = await startFeedbackSending(...prepared);
  await place(sending.line, "junit.xml", report);
  return sending;
}
