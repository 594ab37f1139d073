import type { Server } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { systemReason } from "../src/words/phrases.ts";
import { createApp } from "./app.ts";
import { openNightlyBackups } from "./backup/nightly.ts";
import { systemClock } from "./clock.ts";
import { explainFullDisk } from "./database/full-disk.ts";
import { sqliteDriver } from "./database/open.ts";
import { type Demo, demoAnnouncement, readSeed, type Seed, seedDemo } from "./demo/seed-demo.ts";
import { createMovableClock } from "./dev/clock.ts";
import { startErasing } from "./erasure/eraser.ts";
import { startOutbox } from "./feedback/chat/worker.ts";
import { attach, createListener } from "./http/listener.ts";
import { startDatabaseCare } from "./jobs/database-care.ts";
import { startDailyCleanup, startHousekeeping } from "./jobs/housekeeping.ts";
import { startPassingTime, startTimeKeeper } from "./jobs/time.ts";
import { createLog, readableLine } from "./log.ts";
import { createMailHandler } from "./mail/incoming/handle.ts";
import { startMailReceiver } from "./mail/incoming/receiver.ts";
import { mailReleases } from "./mail/outgoing/release-mails.ts";
import { startAnnouncing, startMail } from "./mail/outgoing/worker.ts";
import { startPushes } from "./notices/browsers/worker.ts";
import { startNotices } from "./notices/mails/worker.ts";
import { passwordWarning } from "./secrets/passwords.ts";
import { readSettings } from "./settings/read-settings.ts";
import {
  type Environment,
  isLoopback,
  type ServeFlags,
  SettingError,
  type Settings,
} from "./settings/settings.ts";
import { takeDataFolder } from "./start/data-folder.ts";
import { createDeps, openSettingsDatabase } from "./start/open-deps.ts";
import { bindFiles } from "./start/open-files.ts";
import { unlockDatabase } from "./start/unlock.ts";
import { startWebhooks } from "./webhooks/endpoints/worker.ts";

interface ServeWorld {
  readonly environment: Environment;
  /** Writes a line for programs to standard output. */
  readonly out: (line: string) => void;
  /** Writes the log and text for people to standard error. */
  readonly err: (text: string) => void;
  /** The command that starts this program on this machine. The default is `innkeep`. */
  readonly command?: string;
  /** Whether a person reads `err` on a terminal. */
  readonly isTerminal?: boolean;
  /** Aborts when the server must stop. */
  readonly stop: AbortSignal;
  /** The paths of the runtime and of this program. For each nightly backup, the server starts this program again. */
  readonly program?: readonly [string, string];
  /** How long to wait for another server that still uses the data folder. */
  readonly folderPatienceMs?: number;
}

/**
 * After the stop period (`stopMilliseconds`), the server refuses the remaining requests. After
 * `lastMilliseconds` more, the server closes all connections.
 */
const lastMilliseconds = 1_500;

/** The process ends at most this time after the stop period, even if a part of it hangs. */
const afterwardsMilliseconds = 10_000;

/** While the server stops, connections without a request are closed after this time. */
const idleMilliseconds = 500;

/**
 * Serves until `stop` aborts. Returns the exit code. Throws a SettingError, FolderInUse, and an Error for a
 * full disk. (rule O11)
 */
export async function serve(flags: ServeFlags, given: ServeWorld): Promise<number> {
  const world = flags.local ? { ...given, environment: withoutOtherServer(given.environment) } : given;
  const wanted = readSettings(flags, world.environment);
  const seed = await seedOf(flags);
  return serveIn(wanted, flags, seed, world).catch(async (error) => {
    throw await explainFullDisk(error, wanted.data);
  });
}

async function serveIn(
  wanted: Settings,
  flags: ServeFlags,
  seed: Seed | undefined,
  world: ServeWorld,
): Promise<number> {
  const waiting = { patienceMs: world.folderPatienceMs, signal: world.stop };
  const lock = await takeDataFolder(wanted, world.err, waiting);
  try {
    return await Promise.race([serveFrom(wanted, flags, seed, world), overdue(wanted, world.stop)]);
  } finally {
    await lock.release();
  }
}

/** Returns the environment without the variables that may name another server. (rule O12) */
function withoutOtherServer(environment: Environment): Environment {
  const { INNKEEP_BASE_URL, INNKEEP_CONSOLE_URL, INNKEEP_DATA, INNKEEP_DATABASE_URL, ...others } =
    environment;
  const { INNKEEP_S3_URL, INNKEEP_BACKUP_DRILL, INNKEEP_LITESTREAM, ...rest } = others;
  return rest;
}

async function seedOf({ seed, demo, dev }: ServeFlags): Promise<Seed | undefined> {
  if (seed === undefined) return undefined;
  if (demo && dev) return readSeed(seed);
  throw new SettingError("--seed is only for a development server. Start it with --dev and --demo.");
}

/** Checks that this machine has everything that `serve` needs. Throws an Error that names a missing database driver. */
export async function checkParts(): Promise<void> {
  await sqliteDriver();
}

/** Resolves with 0 after the stop period, so that the process ends even if a disk or database hangs. */
async function overdue({ budgets }: Settings, stop: AbortSignal): Promise<number> {
  await aborted(stop);
  await sleep(budgets.stopMilliseconds + afterwardsMilliseconds, undefined, { ref: false });
  return 0;
}

async function serveFrom(
  wanted: Settings,
  flags: ServeFlags,
  seed: Seed | undefined,
  world: ServeWorld,
): Promise<number> {
  const { environment } = world;
  const write = wanted.demo && world.isTerminal ? (line: string) => world.err(readableLine(line)) : world.err;
  const log = createLog(wanted.logLevel, { write });
  const database = await openSettingsDatabase(wanted);
  const { secret, old: oldSecrets } = await unlockDatabase(environment, wanted, database);
  await bindFiles(database, wanted);
  const server = await listenWhereFree(wanted, flags);
  const settings = readSettings({ ...flags, port: portOf(server) }, environment);
  const stopping = new AbortController();
  const clock = settings.dev ? createMovableClock() : systemClock;
  const deps = createDeps(settings, database, { clock, log, secret, oldSecrets, stopping: stopping.signal });
  const slowness = await passwordWarning();
  if (slowness) log.warn(slowness);
  const stopTimeKeeper = await startTimeKeeper(deps);
  if (!deps.time.isDoubtful()) await deps.files.sweepTemporary();
  const nightlyBackups = openNightlyBackups(deps, world);
  attach(server, createApp(deps, { nightly: nightlyBackups?.last }), deps);
  const stops = [
    stopTimeKeeper,
    ...(nightlyBackups ? [nightlyBackups.stop] : []),
    startOutbox(deps).stop,
    startWebhooks(deps),
    startNotices(deps),
    startPushes(deps),
    (await startMail(deps)).stop,
    startMailReceiver(deps, createMailHandler(deps)).stop,
    startAnnouncing(deps, () => mailReleases(deps)),
    startErasing(deps),
    startHousekeeping(deps),
    startDailyCleanup(deps),
    startDatabaseCare(deps),
    startPassingTime(deps),
  ];
  const demo = settings.demo ? await seedDemo(deps, seed) : undefined;
  const { command = "innkeep", out, err } = world;
  announce({ flags, settings, environment, demo, command }, { out, err, warn: (text) => log.warn(text) });

  await aborted(world.stop);
  stopping.abort();
  await close(server, settings.budgets);
  await Promise.all(stops.map((stop) => stop()));
  await database.close();
  return 0;
}

/** The number of further ports that the server tries. If all are in use, the system chooses a port. */
const nextPorts = 20;

/** Listens on the configured port, or with `local` on the next free port. */
async function listenWhereFree(wanted: Settings, { local, port: given }: ServeFlags): Promise<Server> {
  if (!local || given !== undefined) return listen(wanted);
  const last = Math.min(wanted.port + nextPorts, 65_535);
  for (let port = wanted.port; port <= last; port += 1) {
    const server = await listen({ ...wanted, port }).catch((error) => {
      if (error.code !== "EADDRINUSE") throw error;
    });
    if (server) return server;
  }
  return listen({ ...wanted, port: 0 });
}

function listen({ host, port, budgets }: Pick<Settings, "host" | "port" | "budgets">): Promise<Server> {
  const server = createListener(budgets);
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `The server cannot listen on \`${host}\`, port ${port} (${systemReason(cause)}). Change INNKEEP_HOST or INNKEEP_PORT.`;
      reject(cause.code === "EADDRINUSE" ? cause : new SettingError(message, { cause }));
    });
    server.listen(port, host, () => resolve(server));
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/**
 * Accepts no new connections. Answers requests that were already sent. After the stop period, closes all
 * connections.
 */
async function close(server: Server, { stopMilliseconds }: Settings["budgets"]): Promise<void> {
  // The method `close` of node:http closes idle connections immediately. Requests that were just sent would be lost.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const idle = setTimeout(() => server.closeIdleConnections(), idleMilliseconds);
  const timer = setTimeout(() => server.closeAllConnections(), stopMilliseconds + lastMilliseconds);
  await closed;
  clearTimeout(idle);
  clearTimeout(timer);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Announcement {
  readonly flags: ServeFlags;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly demo: Demo | undefined;
  /** The command that starts this program on this machine, such as `innkeep`. */
  readonly command: string;
}

interface AnnouncementOutput {
  /** Writes a line for programs to standard output. */
  readonly out: (line: string) => void;
  /** Writes text for people to standard error. */
  readonly err: (text: string) => void;
  /** Writes a warning to the server log. */
  readonly warn: (message: string) => void;
}

/** Prints the addresses of the server: as one JSON object with `--json`, otherwise as text with next steps. */
export function announce(announcement: Announcement, { out, err, warn }: AnnouncementOutput): void {
  const { flags, settings, demo, command } = announcement;
  const { baseUrl, consoleUrl } = settings;
  const otherAddress = otherAddressIn(announcement);
  if (flags.json) {
    const { seed: _, ...access } = demo ?? {};
    out(JSON.stringify({ event: "ready", baseUrl, consoleUrl, ...(demo ? { demo: access } : {}) }));
    if (otherAddress !== undefined) warn(otherAddress);
    return;
  }
  err(`Innkeep serves ${baseUrl}\nConsole: ${consoleUrl}\n`);
  if (otherAddress !== undefined) err(`warning: ${otherAddress}\n`);
  if (demo) err(demoAnnouncement(settings, demo, command));
}

/**
 * Returns a warning if INNKEEP_BASE_URL contains another address than the address on which the server listens.
 */
function otherAddressIn({ flags, settings, environment }: Announcement): string | undefined {
  const { host, port, baseUrl } = settings;
  if (flags.baseUrl !== undefined || !environment.INNKEEP_BASE_URL || !isLoopback(host)) return undefined;
  const own = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const named = new URL(baseUrl);
  if (named.origin === own || (isLoopback(named.hostname) && portOfAddress(named) === port)) return undefined;
  return (
    `This server listens on ${own}, but all links begin with ${baseUrl}, because INNKEEP_BASE_URL has this value. ` +
    `If the variable is only for the client, start with --base-url ${own}.`
  );
}

const portOfAddress = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);
