import type { Context, Io } from "../src/cli/core/context.ts";
import { runCli } from "../src/cli/core/program.ts";
import { systemKeychain } from "../src/credentials/keychain.ts";
import type { Programs } from "../src/programs.ts";
import { contextOfProcess, processIo, runProcess, version } from "./process.ts";

/** Runs the command line of this process, and ends the process. */
export const main = (): Promise<void> =>
  runProcess(async (signal) => {
    const argv = process.argv.slice(2);
    const context = processContext(signal);
    const code = await runCli(argv, context);
    if (context.io.stderr.isTerminal && !signal.aborted) await noticeUpdate(context, argv);
    return code;
  });

/** Prints a notice if a newer version exists. Call this only if standard error is a terminal. */
async function noticeUpdate(context: Context, argv: readonly string[]): Promise<void> {
  const notice = await import("../src/cli/update.ts");
  if (!notice.noticeUpdate(context, argv)) return;
  const { startUpdateCheck } = await import("./start-programs.lazy.ts");
  startUpdateCheck();
}

function processContext(signal: AbortSignal): Context {
  const io = processIo(signal);
  return contextOfProcess(
    { io, signal },
    {
      keychain,
      openBrowser,
      openEditor,
      wordsToStart,
      checkServer,
      programs: programs(io, signal),
    },
  );
}

/**
 * Returns the programs that commands start, such as the server. Each program is loaded only when it is called.
 */
const programs = (io: Io, signal: AbortSignal): Programs => ({
  async serve(flags) {
    const { serve } = await import("./server.ts");
    const { asCommand } = await import("./start-programs.lazy.ts");
    return serve(flags, {
      command: asCommand(await wordsToStart()),
      environment: process.env,
      program: [process.execPath, fileBeside("innkeep.cjs")],
      out: (line) => io.stdout.write(`${line}\n`),
      err: io.stderr.write,
      isTerminal: io.stderr.isTerminal,
      stop: signal,
    });
  },
  async admin(request) {
    const { runAdmin } = await import("./server.ts");
    return runAdmin(request);
  },
  async mcp(request) {
    const { serveStdio } = await import("../mcp/stdio.ts");
    const { stdin, stdout, stderr } = process;
    return serveStdio({ ...request, version, signal, io: { stdin, stdout, stderr } });
  },
  async devExec(request) {
    const { runWithServer } = await import("../src/local/run-with-server.ts");
    const { env: environment, platform } = process;
    return runWithServer(request, { program: fileBeside("dev-server.cjs"), environment, platform });
  },
});

/** Returns the path of a built file that is in the same folder as this one. */
const fileBeside = (name: string) => process.getBuiltinModule("node:path").join(__dirname, name);

/**
 * Loads the keychain. Sets DBUS_SESSION_BUS_ADDRESS on Linux, because agents often start this program without
 * the variable.
 */
async function keychain() {
  const { sessionBusOf } = await import("../src/credentials/session-bus.ts");
  const bus = sessionBusOf({ env: process.env, platform: process.platform, userId: process.getuid?.() });
  if (bus) process.env.DBUS_SESSION_BUS_ADDRESS = bus;
  return systemKeychain();
}

async function openBrowser(url: string): Promise<void> {
  const browser = await import("./browser.ts");
  await browser.openBrowser(url);
}

async function openEditor(command: string, file: string): Promise<number> {
  const editor = await import("./start-programs.lazy.ts");
  return editor.openEditor(command, file);
}

async function wordsToStart(): Promise<readonly string[]> {
  const { startWords } = await import("./start-programs.lazy.ts");
  return startWords({ script: process.argv[1] ?? "", path: process.env.PATH ?? "" });
}

async function checkServer(): Promise<void> {
  const { checkParts } = await import("./server.ts");
  await checkParts();
}
