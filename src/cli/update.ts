import { join } from "node:path";
import { shortTransport } from "../client/transport.ts";
import { type FolderEnvironment, readIfThere, stateFolder, writePrivately } from "../credentials/folders.ts";
import { isCiJob } from "./core/ci.ts";
import { proxyOf } from "./core/connection.ts";
import type { Context } from "./core/context.ts";
import { isDayOver } from "./core/output.ts";

/** Prints a notice about a newer version. Returns whether the caller must ask the registry again. (rule L53) */
export function noticeUpdate(context: Context, argv: readonly string[]): boolean {
  const { io, env, clock, version, newId } = context;
  const source = updateSource(env);
  if (!source || !io.stderr.isTerminal || isCiJob(env) || env.INNKEEP_NO_UPDATE_NOTICE) return false;
  if (argv.includes("--json")) return false;
  const now = clock.now().getTime();
  const state = readUpdateState(context);
  const asks = isDayOver(state.askedAt, now);
  const announces =
    isDayOver(state.announcedAt, now) && state.latest !== null && isNewer(state.latest, version);
  if (!asks && !announces) return false;
  const next: UpdateState = {
    ...state,
    ...(asks && { askedAt: now }),
    ...(announces && { announcedAt: now }),
  };
  try {
    writeUpdateState(context, next, newId);
  } catch {
    // If the state cannot be stored, this command does not ask the registry. Otherwise every command would ask.
    return false;
  }
  if (announces)
    io.stderr.write(
      `\ninnkeep ${state.latest} is available; this is ${version}. \`npm install --global --registry ${source.registry} ${source.name}\` updates it.\n` +
        "INNKEEP_NO_UPDATE_NOTICE=1 turns this notice off.\n",
    );
  return asks;
}

const numbersOf = (version: string): readonly number[] => version.split(/[.-]/, 3).map(Number);

function isNewer(latest: string, own: string): boolean {
  const [ours, theirs] = [numbersOf(own), numbersOf(latest)];
  const at = theirs.findIndex((number, index) => number !== ours[index]);
  return at >= 0 && (theirs[at] ?? 0) > (ours[at] ?? 0);
}

/** The time limit for the answer of the registry. */
const limitMs = 5_000;

/**
 * Returns the registry, and the name of the package there. Undefined if one of the two is not set. (rule L56)
 */
function updateSource(env: FolderEnvironment["env"]): PublishedPackage | undefined {
  const registry = (env.INNKEEP_UPDATE_REGISTRY || published?.registry || "").replace(/(?<!\/)\/+$/, "");
  const name = env.INNKEEP_UPDATE_NAME || published?.name || "";
  return registry === "" || name === "" ? undefined : { registry, name };
}

/** Stores the newest version from the registry. Rejects if the registry does not answer or returns no version. */
export async function checkForUpdate(folders: FolderEnvironment, newId: () => string): Promise<void> {
  const source = updateSource(folders.env);
  if (!source) throw new Error("No registry is set.");
  const { status, text } = await shortTransport(proxyOf(folders))({
    method: "GET",
    url: new URL(`${source.registry}/${source.name.replace("/", "%2f")}/latest`),
    headers: { accept: "application/json", "user-agent": "innkeep" },
    timeoutMs: limitMs,
    answerMs: limitMs,
    answerBytes: 1_048_576,
    signal: AbortSignal.timeout(limitMs),
  });
  const { version } = Object(JSON.parse(text));
  if (status !== 200 || !isVersion(version)) throw new Error("The registry returned no version.");
  writeUpdateState(folders, { ...readUpdateState(folders), latest: version }, newId);
}

/** The stored state of the check for updates. Instants are epoch milliseconds. */
interface UpdateState {
  /** When the registry was last asked. */
  readonly askedAt: number;
  /** When the notice about a newer version was last shown. */
  readonly announcedAt: number;
  /** The newest version according to the registry; null before its first answer. */
  readonly latest: string | null;
}

const fileOf = (folders: FolderEnvironment): string => join(stateFolder(folders), "update.json");

function readUpdateState(folders: FolderEnvironment): UpdateState {
  const text = readIfThere(fileOf(folders)) ?? "{}";
  try {
    const { askedAt, announcedAt, latest } = Object(JSON.parse(text));
    return {
      askedAt: typeof askedAt === "number" ? askedAt : 0,
      announcedAt: typeof announcedAt === "number" ? announcedAt : 0,
      latest: isVersion(latest) ? latest : null,
    };
  } catch {
    return { askedAt: 0, announcedAt: 0, latest: null };
  }
}

const writeUpdateState = (folders: FolderEnvironment, state: UpdateState, newId: () => string): void =>
  writePrivately(fileOf(folders), `${JSON.stringify(state)}\n`, newId);

/** Whether a text is the version of a release. No other text from the registry is ever printed. */
const isVersion = (text: unknown): text is string =>
  typeof text === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text);

/** A package in a registry of npm. */
export interface PublishedPackage {
  /** The address of the registry, without a slash at the end. */
  readonly registry: string;
  /** The name of the package in the registry. */
  readonly name: string;
}

/** The published package. Null until we own the name, because a stranger could register the name. (rule L56) */
export const published: PublishedPackage | null = null;

/** Returns the command that starts this program: `npx` with the published name, or `innkeep` if it is not published. */
export const wordsToStart = (from: PublishedPackage | null = published): readonly string[] =>
  from === null ? ["innkeep"] : ["npx", "-y", from.name];
