import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import type { Deps } from "../deps.ts";
import { readRecipients } from "../secrets/age.ts";
import { AgeFault } from "../secrets/age-fault.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { Environment } from "../settings/settings.ts";
import { type Drills, type MadeBackup, startDrills } from "./drills.ts";

export interface DrillWorld {
  readonly environment: Environment;
  /** How this program is called: the runtime and its file. Without it there are no nightly backups. */
  readonly program?: readonly [string, string];
}

/** Starts the nightly backups that the settings want. Throws a SettingError for a wrong public key. */
export function openDrills(deps: Deps, { environment, program }: DrillWorld): Drills | undefined {
  const { drill, data, databaseUrl = "" } = deps.settings;
  if (!drill || !program) return undefined;
  assertRecipient(drill.recipient);
  const variables = { ...environment, INNKEEP_DATA: data, INNKEEP_DATABASE_URL: databaseUrl };
  return startDrills(deps, (file, stopping) => backUpInChild({ program, file, variables }, stopping));
}

function assertRecipient(recipient: string | undefined): void {
  try {
    if (recipient !== undefined) readRecipients(recipient);
  } catch (error) {
    if (error instanceof AgeFault) throw new SettingError(`INNKEEP_BACKUP_RECIPIENT: ${error.message}`);
    throw error;
  }
}

interface Order {
  readonly program: readonly [string, string];
  readonly file: string;
  readonly variables: Environment;
}

const Made = z.object({
  bytes: z.number(),
  rows: z.number(),
  files: z.number(),
  missing: z.array(z.string()),
});
const incomplete = 10;
const longestMessage = 2_000;

/** In a process of its own and with a low priority, so that no request waits for it. */
async function backUpInChild(
  { program: [runtime, script], file, variables }: Order,
  stopping: AbortSignal,
): Promise<MadeBackup> {
  const child = spawn(runtime, [script, "admin", "backup", file, "--prove", "--json"], {
    env: variables,
    stdio: ["ignore", "pipe", "pipe"],
    signal: stopping,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  lowerPriority(child.pid);
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code === 0 || code === incomplete) return Made.parse(JSON.parse(out));
  throw new Error(messageIn(err).slice(0, longestMessage) || `The backup ended with code ${code}.`);
}

const Failure = z.object({ error: z.string() });

/** What a command with `--json` says of its failure, in its last line. */
function messageIn(err: string): string {
  const last = err.trim().split("\n").at(-1) ?? "";
  try {
    return Failure.parse(JSON.parse(last)).error;
  } catch {
    return last;
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It may have ended already.
  }
}
