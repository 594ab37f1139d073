import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that decide in which folder Node stores compiled code for later starts. */
const ofCache = ["XDG_CACHE_HOME", "LOCALAPPDATA"];

/** The variables of the system that every program needs. */
const ofSystem = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "TZ", ...ofCache];

/** The only settings that a test server takes from the environment. Others may be for another server. */
export const serverSettings = [
  ...["INNKEEP_LOG_LEVEL", "INNKEEP_RATE_LIMITS", "INNKEEP_BUDGETS", "INNKEEP_CORS_ORIGINS"],
  ...["INNKEEP_REGISTRATION", "INNKEEP_REDIRECT_URL", "INNKEEP_ATTESTATION", "INNKEEP_PLAY_PACKAGES"],
  ...["INNKEEP_PLAY_CERTIFICATES", "INNKEEP_PLAY_DECRYPTION_KEY", "INNKEEP_PLAY_VERIFICATION_KEY"],
  ...["INNKEEP_FEEDBACK_BYTES_PER_HOUR", "INNKEEP_STORED_BYTES_PER_APP", "INNKEEP_PRIVATE_WEBHOOKS"],
  "INNKEEP_MCP",
];

const defaults = { INNKEEP_LOG_LEVEL: "warn", INNKEEP_RATE_LIMITS: "off" };

/**
 * Returns the environment of a server for tests. By default the server logs only warnings and has no rate limits.
 */
export function serverEnvironment(given: Variables): Variables {
  const taken = [...ofSystem, ...serverSettings].filter((name) => given[name]);
  return { ...defaults, ...Object.fromEntries(taken.map((name) => [name, given[name]])) };
}

/**
 * Returns the environment variables with the addresses and the keys of a server, for programs that use it. (rule O13)
 */
export function clientVariables({ baseUrl, consoleUrl, folder, demo }: Ready): Record<string, string> {
  const keys = demo.apps.map(({ name, apiKey }) => [`INNKEEP_API_KEY_${variablePart(name)}`, apiKey]);
  return {
    ...Object.fromEntries(keys),
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_CONSOLE_URL: consoleUrl,
    INNKEEP_APP: demo.appId,
    INNKEEP_API_KEY: demo.apiKey,
    INNKEEP_AGENT_TOKEN: demo.agentToken,
    INNKEEP_TOKEN: demo.maintainerToken,
    INNKEEP_DEVICE_TOKEN: demo.deviceToken,
    INNKEEP_TEST_KEY: demo.testKey,
    // With these folders, commands neither read nor change the data that the developer's own commands have stored.
    INNKEEP_CONFIG_DIR: `${folder}/client`,
    INNKEEP_STATE_DIR: `${folder}/client`,
  };
}

const variablePart = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");

/** The first line that a started server prints. */
interface Ready {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  /** The folder with the data of the server, and with the data that commands store. */
  readonly folder: string;
  readonly demo: {
    readonly email: string;
    readonly password: string;
    readonly appId: string;
    readonly apiKey: string;
    readonly apps: readonly { readonly id: string; readonly name: string; readonly apiKey: string }[];
    readonly agentToken: string;
    readonly maintainerToken: string;
    readonly deviceToken: string;
    readonly testKey: string;
    readonly threadId?: string;
    readonly runId?: string;
  };
}

export interface ServerProcess {
  readonly ready: Ready;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  /** If this program is killed, the server also ends the process with this id and all its child processes. */
  guard(processId: number): void;
  /** Ends the process. Then removes the folder of the server, unless the option `keep` is set. */
  stop(): Promise<void>;
}

/**
 * Starts a development server with a separate folder, until this program ends. Throws an Error if the server
 * cannot start. (rule O13)
 */
export async function startServerProcess(options: {
  /** The built file of the server. */
  readonly program: string;
  /** The first content of the server: the path of a file, or an object. */
  readonly seed?: string | object | undefined;
  readonly keep?: boolean | undefined;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
}): Promise<ServerProcess> {
  const { program, seed, keep, environment, signal } = options;
  const child = spawn(process.execPath, [program], {
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C in a terminal must not end the server, because the command that uses the server may still need it.
    detached: true,
    windowsHide: true,
  });
  const ended = once(child, "close").then(() => undefined);
  const outputOver = new AbortController();
  child.once("exit", () => setTimeout(() => outputOver.abort(), outputGraceMs).unref());
  const abandon = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", abandon, { once: true });
  // An error of the input is ignored, because a server that fails does not read its input.
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify({ seed, keep })}\n`);
  const ready = await readyOf(child, outputOver.signal).catch((error: unknown) => {
    child.stdout.destroy();
    throw error;
  });
  // The output is not needed any more. A process that the server has started may keep the output open forever.
  if (child.exitCode !== null || child.signalCode !== null) child.stdout.destroy();
  child.once("exit", () => child.stdout.destroy());
  signal?.removeEventListener("abort", abandon);
  // This server must not keep the process alive, because a test runner may end without stopping the server.
  for (const handle of [child, child.stdin, child.stdout]) letGo(handle);
  return {
    ready,
    ended,
    guard: (processId) => void child.stdin.write(`${JSON.stringify({ guard: processId })}\n`),
    async stop() {
      // Node must wait for the server now. Otherwise this program would end before the server, with exit code 0.
      for (const handle of [child, child.stdout]) hold(handle);
      if (keep) child.stdin.end();
      else child.kill("SIGKILL");
      await ended;
      if (!keep) await rm(ready.folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The milliseconds to wait for the last output of an ended server if another process keeps the output open. */
const outputGraceMs = 1_000;

/**
 * Returns the data in the server's first line. `signal` aborts when the server ends. Throws the error of the
 * server.
 */
async function readyOf({ stdout }: ChildProcess, signal: AbortSignal): Promise<Ready> {
  if (!stdout) throw new Error("The server has no standard output.");
  for await (const line of createInterface({ input: stdout, signal })) {
    const first: Ready & { readonly failed?: string; readonly name?: string } = JSON.parse(line);
    if (first.failed !== undefined) throw Object.assign(new Error(first.failed), { name: first.name });
    return first;
  }
  throw new Error("The server ended before it was ready.");
}

function hold(handle: object): void {
  if ("ref" in handle && typeof handle.ref === "function") handle.ref();
}

function letGo(handle: object): void {
  if ("unref" in handle && typeof handle.unref === "function") handle.unref();
}
