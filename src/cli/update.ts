import { join } from "node:path";
import { shortTransport } from "../client/transport.ts";
import { type FolderEnvironment, readIfThere, stateFolder, writePrivately } from "../credentials/folders.ts";
import { isCiJob } from "./core/ci.ts";
import { proxyOf } from "./core/connection.ts";
import type { Context } from "./core/context.ts";
import { isDayOver } from "./core/once-a-day.ts";
import { type PublishedPackage, published } from "./core/published.ts";

/**
 * Informs a person at a terminal about a newer version, at most once a day. Returns whether it is time to ask for the newest
 * version again. It reads one small file, and waits for nothing. (rule L53)
 */
export function noticeUpdate(context: Context, argv: readonly string[]): boolean {
  const { io, env, clock, version, newId } = context;
  const source = updateSource(env);
  if (!source || !io.stderr.isTerminal || isCiJob(env) || env.INNKEEP_NO_UPDATE_NOTICE) return false;
  if (argv.includes("--json")) return false;
  const now = clock.now().getTime();
  const state = readUpdateState(context);
  const asks = isDayOver(state.askedAt, now);
  const announces = isDayOver(state.toldAt, now) && state.latest !== null && isNewer(state.latest, version);
  if (!asks && !announces) return false;
  const next: UpdateState = {
    ...state,
    ...(asks && { askedAt: now }),
    ...(announces && { toldAt: now }),
  };
  try {
    writeUpdateState(context, next, newId);
  } catch {
    // Without this file every command would ask again.
    return false;
  }
  if (announces)
    io.stderr.write(
      `\ninnkeep ${state.latest} is out; this is ${version}. \`npm install --global --registry ${source.registry} ${source.name}\` updates it.\n` +
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

/** How long the registry may take. */
const limitMs = 5_000;

/** Where to look for newer versions; undefined unless both the registry and the name are set. (rule L56) */
function updateSource(env: FolderEnvironment["env"]): PublishedPackage | undefined {
  const registry = (env.INNKEEP_UPDATE_REGISTRY || published?.registry || "").replace(/\/+$/, "");
  const name = env.INNKEEP_UPDATE_NAME || published?.name || "";
  return registry === "" || name === "" ? undefined : { registry, name };
}

/**
 * Asks the registry for the newest version, and stores it. Rejects if there is none, no answer, or one of another form.
 */
export async function checkForUpdate(place: FolderEnvironment, newId: () => string): Promise<void> {
  const source = updateSource(place.env);
  if (!source) throw new Error("No registry is set.");
  const { status, text } = await shortTransport(proxyOf(place))({
    method: "GET",
    url: new URL(`${source.registry}/${source.name.replace("/", "%2f")}/latest`),
    headers: { accept: "application/json", "user-agent": "innkeep" },
    timeoutMs: limitMs,
    answerMs: limitMs,
    answerBytes: 1_048_576,
    signal: AbortSignal.timeout(limitMs),
  });
  const { version } = Object(JSON.parse(text));
  if (status !== 200 || !isVersion(version)) throw new Error("The registry names no version.");
  writeUpdateState(place, { ...readUpdateState(place), latest: version }, newId);
}

/** What is known of newer versions. Instants are epoch milliseconds. */
interface UpdateState {
  /** When the registry was last asked. */
  readonly askedAt: number;
  /** When the person was last told. */
  readonly toldAt: number;
  /** The newest version, as far as it is known. */
  readonly latest: string | null;
}

const fileOf = (place: FolderEnvironment): string => join(stateFolder(place), "update.json");

function readUpdateState(place: FolderEnvironment): UpdateState {
  const text = readIfThere(fileOf(place)) ?? "{}";
  try {
    const { askedAt, toldAt, latest } = Object(JSON.parse(text));
    return {
      askedAt: typeof askedAt === "number" ? askedAt : 0,
      toldAt: typeof toldAt === "number" ? toldAt : 0,
      latest: isVersion(latest) ? latest : null,
    };
  } catch {
    return { askedAt: 0, toldAt: 0, latest: null };
  }
}

/** Throws the error of the file system. */
const writeUpdateState = (place: FolderEnvironment, state: UpdateState, newId: () => string): void =>
  writePrivately(fileOf(place), `${JSON.stringify(state)}\n`, newId);

/** Whether a text is a version that was released. Nothing else of an answer reaches a terminal. */
const isVersion = (text: unknown): text is string =>
  typeof text === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text);
