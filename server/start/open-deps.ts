import { join } from "node:path";
import type { Logger } from "pino";
import { createClientDocuments } from "../access/oauth/client-document.ts";
import { createAttest } from "../access/sign-in/attestation.ts";
import { type Clock, createTimeWatch } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";
import type { Deps } from "../deps.ts";
import { createThreadWatch } from "../feedback/agent-work/store/changes.ts";
import { createLiveConnections } from "../feedback/live/connections.ts";
import { createWaitingAgents } from "../feedback/proposals/waiting-agents.ts";
import { endDueSnoozes } from "../feedback/threads/store/fields.ts";
import { createAnswers } from "../http/answers.ts";
import { createWaiting } from "../http/handler.ts";
import { createMemory } from "../http/memory.ts";
import { createLimiter } from "../http/rate-limits/rate-limits.ts";
import { createNewId, createSealer } from "../secrets/secrets.ts";
import { memoryOfMachine, type Settings } from "../settings/settings.ts";
import { createPassingTime } from "../testing/cycles/passing-time.ts";
import { openFiles, openKeptFiles } from "./open-files.ts";

interface StartedParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secret: string;
  /** Earlier secrets of the deployment. They decrypt values that were encrypted before the secret was replaced. */
  readonly oldSecrets?: readonly string[];
  readonly stopping: AbortSignal;
}

/** The maximum number of bytes of memory for cached answers and rows. */
const mostBytes = 128 * 1_048_576;

/** How many milliseconds to wait for the database. This is less than five seconds, in which every request must end. */
const patienceMs = 4_000;

/** Opens the database that the settings name and brings its schema up to date. */
export const openSettingsDatabase = ({
  databaseUrl,
  databasePool,
  data,
  litestream,
}: Pick<Settings, "databaseUrl" | "databasePool" | "data" | "litestream">): Promise<Database> => {
  const address = databaseUrl === undefined ? { file: join(data, "innkeep.db") } : { url: databaseUrl };
  return openDatabase(address, { patienceMs, poolSize: databasePool, isCopied: litestream });
};

/** Creates everything that handlers and background work depend on. */
export function createDeps(
  settings: Settings,
  database: Database,
  { clock, log, secret, oldSecrets, stopping }: StartedParts,
): Deps {
  const files = openFiles(settings);
  const newId = createNewId();
  const memory = createMemory(database, Math.min(mostBytes, memoryOfMachine() / 8));
  const time = createTimeWatch(clock, (milliseconds) =>
    log.warn(
      { seconds: Math.round(milliseconds / 1_000) },
      "the clock has jumped, so nothing ends or expires until the clock has run without a jump for ten minutes",
    ),
  );
  const threadWatch = createThreadWatch(database, () => endDueSnoozes({ clock, database, time }));
  return {
    settings,
    database,
    files,
    keptFiles: openKeptFiles(database, files, settings),
    clock,
    time,
    newId,
    sealer: createSealer(secret, oldSecrets),
    memory,
    answers: createAnswers(memory),
    waiting: createWaiting(database),
    waitingAgents: createWaitingAgents(),
    threadWatch,
    liveConnections: createLiveConnections({ clock, database, log, settings, stopping, threadWatch }),
    passingTime: createPassingTime({ database, clock, newId, time }),
    limiter: createLimiter({ database, clock, settings }),
    attest: createAttest(settings.attestation),
    readClientDocument: createClientDocuments(),
    log,
    stopping,
  };
}
