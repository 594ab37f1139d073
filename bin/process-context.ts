import type { Context, Io } from "../src/cli/core/program/context.ts";
import { systemClock } from "../src/client/waiting/clock.ts";
import { systemKeychain } from "../src/credentials/keychain.ts";
import type { Programs } from "../src/programs.ts";
import { loadProgram } from "./load-program.ts";
import { processIo } from "./process-io.ts";

declare const INNKEEP_VERSION: string;

/** The context of a command, made of this process. */
export function processContext(signal: AbortSignal): Context {
  const io = processIo(signal);
  return {
    io,
    env: process.env,
    cwd: process.cwd(),
    get home() {
      return process.getBuiltinModule("node:os").homedir();
    },
    platform: process.platform,
    version: INNKEEP_VERSION,
    processId: process.pid,
    isRunning,
    clock: systemClock,
    signal,
    newId: () => crypto.randomUUID(),
    random: Math.random,
    keychain,
    openBrowser,
    programs: programs(io, signal),
  };
}

/** Each program is loaded when it is called, so that the others cost nothing. */
const programs = (io: Io, signal: AbortSignal): Programs => ({
  async serve(flags) {
    const { serve } = await loadProgram(() => import("../server/main.ts"));
    const { startCommand } = await import("./start-command.ts");
    return serve(flags, {
      command: startCommand({ script: process.argv[1] ?? "", path: process.env.PATH ?? "" }),
      environment: process.env,
      out: (line) => io.stdout.write(`${line}\n`),
      err: io.stderr.write,
      stop: signal,
    });
  },
  async admin(request) {
    const { runAdmin } = await loadProgram(() => import("../server/admin/main.ts"));
    return runAdmin(request);
  },
  async mcp(request) {
    const { serveAgent } = await import("./mcp.ts");
    return serveAgent(request, { version: INNKEEP_VERSION, signal });
  },
});

/** The keychain needs a variable that programs which start agents often do not pass on. */
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

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
