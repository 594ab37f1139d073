import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context, Sink } from "../../../src/cli/core/context.ts";
import { runCli } from "../../../src/cli/core/program.ts";
import type { Transport } from "../../../src/client/call.ts";
import { shortTransport } from "../../../src/client/transport.ts";
import { quickFolder } from "../files/quick-folder.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json(): unknown;
}

export interface CommandLineOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  readonly isRunning?: (processId: number) => boolean;
  /** The person's answers to questions. */
  readonly typed?: (question: string) => string | Promise<string>;
  /** Called with the function that presses a key on the terminal. */
  readonly keys?: (press: (key: string) => void) => void;
  /** Other changes to the default environment. */
  readonly world?: Partial<Context>;
}

/** A person's machine with an empty home folder. Its commands run in this process, and pauses take no time. */
export interface CommandLine {
  /** The folder for relative file names. */
  readonly cwd: string;
  readonly stateFolder: string;
  readonly pauses: readonly number[];
  run(argv: readonly string[], options?: CommandLineOptions): Promise<Ran>;
}

export async function createCommandLine(env: Readonly<Record<string, string>> = {}): Promise<CommandLine> {
  const home = await temporaryFolder(quickFolder);
  const cwd = join(home, "project");
  await mkdir(cwd);
  const pauses: number[] = [];
  const run = async (argv: readonly string[], options: CommandLineOptions = {}) => {
    const stdout = sinkOf(options.terminal);
    const stderr = sinkOf(options.terminal);
    const context = contextOf(
      { home, cwd, pauses, stdout, stderr },
      { ...options, env: { ...env, ...options.env } },
    );
    const exit = await runCli(argv, context);
    return { exit, stdout: stdout.text(), stderr: stderr.text(), json: () => JSON.parse(stdout.text()) };
  };
  return { cwd, stateFolder: join(home, ".local", "state", "innkeep"), pauses, run };
}

/** An environment without a person, for tests that read the commands and run none. */
export const emptyWorld = (): Context =>
  contextOf({ home: "/nowhere", cwd: "/nowhere", pauses: [], stdout: sinkOf(), stderr: sinkOf() }, {});

interface World {
  readonly home: string;
  readonly cwd: string;
  readonly pauses: number[];
  readonly stdout: Sink;
  readonly stderr: Sink;
}

function contextOf({ home, cwd, pauses, stdout, stderr }: World, options: CommandLineOptions): Context {
  const { env = {}, stdin = "", terminal = false, signal, now, isRunning, typed = () => "", keys } = options;
  return {
    io: {
      stdin: { isTerminal: terminal, text: async () => stdin, ends: async (bytes) => endsOf(stdin, bytes) },
      stdout,
      stderr,
      ask: async (question) => typed(question),
      onKey(pressed) {
        keys?.(pressed);
        return () => {};
      },
    },
    env,
    cwd,
    home,
    platform: "linux",
    version: "0.0.0",
    nodeVersion: "v24.4.0",
    processId: 1_000_000,
    isRunning: isRunning ?? (() => false),
    clock: {
      now: now ?? (() => new Date()),
      async sleep(milliseconds) {
        pauses.push(milliseconds);
      },
    },
    signal: signal ?? new AbortController().signal,
    newId: randomUUID,
    random: () => 0.5,
    keychain: async () => undefined,
    openBrowser: () => Promise.reject(new Error("There is no browser here.")),
    openEditor: () => Promise.reject(new Error("There is no editor here.")),
    wordsToStart: async () => ["innkeep"],
    checkServer: async () => {},
    programs: { serve: notHere, admin: notHere, mcp: notHere, devExec: notHere },
    ...(!env.INNKEEP_BASE_URL && { transport: besideDefault }),
    ...options.world,
  };
}

function endsOf(text: string, most: number) {
  const all = Buffer.from(text);
  const rest = all.subarray(most);
  const tail = rest.subarray(Math.max(0, rest.length - most));
  return { head: all.subarray(0, most), tail, bytes: all.length };
}

/** A developer's own server may listen at the default address, so a test that connects to it fails. */
const besideDefault: Transport = (request) => {
  if (request.url.port === "4700") throw new Error("A test must not connect to the default address.");
  return send(request);
};

const send = shortTransport();

const notHere = () => Promise.reject(new Error("This program is not part of the test."));

function sinkOf(isTerminal = false): Sink & { text(): string } {
  let text = "";
  return {
    isTerminal,
    columns: 80,
    write(more) {
      text += more;
    },
    text: () => text,
  };
}
