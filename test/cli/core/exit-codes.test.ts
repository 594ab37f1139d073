import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Exit, exitCodes } from "../../../src/cli/core/cli-error.ts";
import {
  type CommandLine,
  type CommandLineOptions,
  createCommandLine,
} from "../../support/clients/command-line.ts";
import { answers, hangsUp, startRecordingServer } from "../../support/network/recording-server.ts";
import { threadId } from "../../support/specified-server/agent.ts";
import { secrets } from "../../support/specified-server/operation.ts";
import { startSpecifiedServer } from "../../support/specified-server/server.ts";

const unknownRun = "agent decision 00000000-0000-4000-8000-000000000000";

/** For each exit code, a command line that ends with it. A new exit code needs a line here. */
const stories: Readonly<Record<Exit, () => Promise<number>>> = {
  ok: async () => (await specified()).exitAfter("faq list"),
  unexpected: () => exitOnAnswer(418),
  usage: async () => (await specified()).exitAfter("faq lsit"),
  differences: async () => {
    const { exitAfter, line } = await specified();
    await mkdir(join(line.cwd, "faq"));
    await writeFile(join(line.cwd, "faq", "a.md"), "---\nquestion: Why?\n---\n\nSo.\n");
    return exitAfter("faq diff --exit-code");
  },
  authentication: async () => (await specified()).exitAfter("faq list", { env: { INNKEEP_API_KEY: "" } }),
  forbidden: () => exitOnAnswer(403),
  notFound: async () => (await specified()).exitAfter(unknownRun),
  conflict: () => exitOnAnswer(409),
  pending: async () => (await proposed()).exit(),
  rejected: async () => {
    const { server, exit } = await proposed();
    server.decide("rejected");
    return exit();
  },
  incomplete: async () => {
    const admin = async () => ({ file: "a.tar", missing: ["lost.png"] });
    return (await specified()).exitAfter("admin backup a.tar", {
      world: { programs: { ...noPrograms, admin } },
    });
  },
  tryLater: () => exitOnAnswer(503),
  interrupted: async () => {
    const { baseUrl } = await startRecordingServer(hangsUp);
    const signal = AbortSignal.abort(new Error("interrupted"));
    return (await lineTo(baseUrl)).exitAfter("faq list", { signal });
  },
};

describe("the exit codes of the command line", () => {
  it.each(Object.entries(exitCodes))("include %s, which a command can have", async (exit, { code }) => {
    expect(await storyOf(exit)).toBe(code);
  });

  it("are different numbers", () => {
    const codes = Object.values(exitCodes).map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)]);
  });
});

function storyOf(exit: string): Promise<number> {
  const [, story] = Object.entries(stories).find(([name]) => name === exit) ?? [];
  if (!story) throw new Error(`No test reaches ${exit}.`);
  return story();
}

const none = () => Promise.reject(new Error("This program is not part of the test."));
const noPrograms = { serve: none, admin: none, mcp: none, devExec: none };

/** Returns the exit code of a command on a machine with every credential of the specification. */
async function lineTo(baseUrl: string): Promise<{
  readonly line: CommandLine;
  readonly exitAfter: (words: string, options?: CommandLineOptions) => Promise<number>;
}> {
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: secrets.appKey,
    INNKEEP_AGENT_TOKEN: secrets.agentToken,
  });
  const exitAfter = async (words: string, options: CommandLineOptions = {}) =>
    (await line.run(words.split(" "), options)).exit;
  return { line, exitAfter };
}

async function specified() {
  const server = await startSpecifiedServer();
  return { server, ...(await lineTo(server.baseUrl)) };
}

/** The exit after any answer of this status. */
async function exitOnAnswer(status: number): Promise<number> {
  const { baseUrl } = await startRecordingServer(answers(status, { error: "No." }));
  return (await lineTo(baseUrl)).exitAfter("faq list");
}

/** An agent with a proposal that nobody has decided. */
async function proposed() {
  const { server, line, exitAfter } = await specified();
  const ran = await line.run(["agent", "propose", threadId, "--summary", "S", "--plan", "P", "--json"]);
  const { runId } = Object(ran.json());
  return { server, exit: () => exitAfter(`agent decision ${runId}`) };
}
