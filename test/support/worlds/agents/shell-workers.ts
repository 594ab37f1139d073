import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Transport } from "../../../../src/client/call.ts";
import { ConnectionError } from "../../../../src/client/errors.ts";
import { shortTransport } from "../../../../src/client/transport.ts";
import { type CommandLine, type CommandLineOptions, createCommandLine } from "../../clients/command-line.ts";
import { temporaryFolder } from "../../files/temporary-folder.ts";
import type { Service } from "../../service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../app-with-owner-and-agent.ts";

/** An owner, an agent token for work, and a machine on which `innkeep agent work` runs. */
export async function makeShellWorkers(service: Service) {
  const cast = await makeAppWithAgent(service);
  const token = await service.makeToken(cast.owner, "agent", { scopes: ["runs:work"] });
  /** The file in which the command records its input. */
  const noted = join(await temporaryFolder(), "noted");
  const newMachine = () =>
    createCommandLine({
      PATH: process.env.PATH ?? "",
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_AGENT_TOKEN: token,
      NOTED: noted,
    });
  const line = await newMachine();
  return {
    cast,
    token,
    line,
    /** Another machine of the same person. */
    newMachine,
    work: (words: readonly string[], script = note, options: CommandLineOptions = {}) =>
      workOn(line, words, script, options),
    allNoted: async () =>
      (await readFile(noted, "utf8").catch(() => ""))
        .split("\n")
        .filter(Boolean)
        .map((text) => JSON.parse(text)),
    async approved(note = "", of: AppWithAgent = cast): Promise<string> {
      const runId = await propose(service, of, await submitFeedback(service, of));
      const answer = await decide(service, of, runId, { decision: "approve", ...(note && { note }) });
      if (answer.status !== 200) throw new Error(`The approval was answered ${answer.status}.`);
      return runId;
    },
    read: async (runId: string) => Object((await line.run(["agent", "run", runId, "--json"])).json()),
  };
}
export type ShellWorkers = Awaited<ReturnType<typeof makeShellWorkers>>;

/** Starts a worker for one proposal, whose command is a script of Node. */
export const workOn = (
  line: CommandLine,
  words: readonly string[],
  script = note,
  options: CommandLineOptions = {},
) => line.run(["agent", "work", "--once", ...words, "--", process.execPath, "-e", script], options);

const note = `
  const { readFileSync, statSync, appendFileSync } = require("node:fs");
  const file = process.env.INNKEEP_PLAN_FILE;
  const modes = [file, file.replace(/.plan.md$/, "")].map((name) => (statSync(name).mode & 0o777).toString(8));
  appendFileSync(process.env.NOTED, JSON.stringify({ plan: readFileSync(file, "utf8"), modes, env: process.env }) + "\\n");
`;

/** The network. It first returns these answers: a status, or no connection. */
export function faulty(path: RegExp, ...faults: readonly (number | "away")[]): Transport {
  const left = [...faults];
  const send = shortTransport();
  return async (request) => {
    const fault = path.test(request.url.pathname) ? left.shift() : undefined;
    if (fault === "away") throw new ConnectionError("ECONNREFUSED", "No connection.");
    if (fault === undefined) return send(request);
    return { status: fault, headers: { "retry-after": "2" }, text: '{"error":"No.","code":"rate_limited"}' };
  };
}
