import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstatSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { inTurn } from "../../credentials/folder-turn.ts";
import { readIfThere, writePrivately } from "../../credentials/private-file.ts";
import type { Context } from "../core/context.ts";

export interface HeldName {
  /** Lets another process have the name. */
  release(): Promise<void>;
}

/** Where the last process with this name worked, if that was not here and it has not ended in order. */
export interface Elsewhere {
  readonly host: string;
  readonly file: string;
}

type Taken = HeldName | "running" | Elsewhere;
type Place = Pick<Context, "platform" | "newId">;

/**
 * Takes the name that a folder stands for, so that no other live process has it. A socket is the lock: the system frees
 * it when its process ends in any way, and a process that is only suspended keeps it. Throws the error of the file
 * system. (rule L74)
 */
export async function takeName(folder: string, { platform, newId }: Place): Promise<Taken> {
  const address = addressOf(folder, platform);
  const mark = join(folder, "machine.json");
  for (;;) {
    const left = identityOf(address, platform);
    if (await answers(address)) return "running";
    const taken = await inTurn(folder, () => {
      // Another process has taken the name since, or has left it.
      if (identityOf(address, platform) !== left) return undefined;
      const elsewhere = markedElsewhere(mark);
      if (elsewhere) return elsewhere;
      if (left !== undefined) rmSync(address, { force: true });
      writePrivately(mark, JSON.stringify({ machine: thisMachine(), host: hostname() }), newId);
      const server = createServer((socket) => socket.destroy());
      const listening = once(server, "listening");
      server.listen(address);
      return { server, listening };
    });
    if (taken === undefined) continue;
    if (!("server" in taken)) return taken;
    const { server } = taken;
    if (!(await begins(taken.listening))) return "running";
    server.unref();
    return {
      async release() {
        rmSync(mark, { force: true });
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
}

/** False if another process listens there already. */
async function begins(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return false;
    throw error;
  }
}

/** The longest path that every system takes as the address of a socket. */
const longestAddress = 100;

function addressOf(folder: string, platform: string): string {
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  if (platform === "win32") return `\\\\.\\pipe\\innkeep-worker-${name}`;
  const address = join(folder, "socket");
  return Buffer.byteLength(address) <= longestAddress
    ? address
    : join(tmpdir(), `innkeep-worker-${name}.sock`);
}

/** Whether a process listens at this address. */
async function answers(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    // Anything else, such as a full queue, is a process that is there.
    return !["ENOENT", "ECONNREFUSED", "ENOTSOCK"].includes(codeOf(error));
  } finally {
    socket.destroy();
  }
}

/** What distinguishes this socket from one that is made later at the same address. */
function identityOf(address: string, platform: string): string | undefined {
  if (platform === "win32") return undefined;
  const found = lstatSync(address, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino}-${found.ctimeNs}`;
}

/** A folder that several machines share has sockets that only one of them can ask. */
function markedElsewhere(file: string): Elsewhere | undefined {
  const { machine, host } = markIn(file);
  return machine === undefined || machine === thisMachine() || host === hostname()
    ? undefined
    : { host: `${host}`, file };
}

function markIn(file: string): { readonly machine?: unknown; readonly host?: unknown } {
  try {
    return Object(JSON.parse(readIfThere(file) ?? "{}"));
  } catch {
    return {};
  }
}

/** Containers on one machine have names of their own, and the same running system. */
function thisMachine(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}

const codeOf = (error: unknown): string => `${Object(error).code ?? ""}`;
