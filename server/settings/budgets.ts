import { readFileSync } from "node:fs";
import { SettingError } from "./setting-error.ts";

/** What the server spends at most on connections and on bodies that are on their way. */
export interface Budgets {
  /** Connections that are open at once. */
  readonly connections: number;
  /** Within this time the head of a request must be there. */
  readonly headMilliseconds: number;
  /** Within this time the whole request must be there. */
  readonly requestMilliseconds: number;
  /** A kept connection without a request is closed after this time. */
  readonly idleMilliseconds: number;
  /** An answer of which the client takes nothing for this time is cut. */
  readonly stalledMilliseconds: number;
  /** A refused connection is gone after this time. */
  readonly lingerMilliseconds: number;
  /** So fast a body must come. */
  readonly bodyBytesPerSecond: number;
  /** A body may be behind its rate by what comes in this time. */
  readonly bodyPatienceMilliseconds: number;
  /** Bytes of bodies that are held in memory while they arrive, large uploads apart. */
  readonly bufferedBytes: number;
  /** The part of it for requests without a credential. */
  readonly anonymousBufferedBytes: number;
  /** Large uploads that are taken in at once. */
  readonly uploads: number;
  readonly uploadsPerKey: number;
  /** So long a large upload waits for its turn. */
  readonly uploadTurnMilliseconds: number;
  /** What is read and dropped of a body after its refusal, and for how long. */
  readonly droppedBytes: number;
  readonly dropMilliseconds: number;
  /** Connections on which that happens at once. */
  readonly drops: number;
  /** Unknown test keys whose use is counted; the oldest go. */
  readonly unknownTestKeys: number;
  /** What is under way may take so long to end when the server stops. */
  readonly stopMilliseconds: number;
}

const defaults = {
  headMilliseconds: 10_000,
  requestMilliseconds: 1_200_000,
  idleMilliseconds: 65_000,
  stalledMilliseconds: 120_000,
  lingerMilliseconds: 500,
  bodyBytesPerSecond: 16_384,
  bodyPatienceMilliseconds: 15_000,
  bufferedBytes: 67_108_864,
  anonymousBufferedBytes: 4_194_304,
  uploads: 32,
  uploadsPerKey: 8,
  uploadTurnMilliseconds: 5_000,
  droppedBytes: 67_108_864,
  dropMilliseconds: 30_000,
  drops: 100,
  unknownTestKeys: 20_000,
  stopMilliseconds: 8_000,
};

/**
 * The budgets from a list such as `connections=500,headMilliseconds=5000`, the others as they are. Throws a
 * SettingError for an unknown name and for anything but a positive integer.
 */
export function budgetsOf(given: string | undefined): Budgets {
  const budgets = { connections: mostConnections(), ...defaults };
  if (given === undefined) return budgets;
  return { ...budgets, ...Object.fromEntries(given.split(",").map((entry) => budgetOf(entry, budgets))) };
}

function budgetOf(entry: string, budgets: Budgets): [string, number] {
  const [, name = "", value] = /^\s*(\w+)=(\d{1,12})\s*$/.exec(entry) ?? [];
  if (Object.hasOwn(budgets, name) && Number(value) > 0) return [name, Number(value)];
  throw new SettingError(
    `INNKEEP_BUDGETS must be a list such as \`connections=500\` of ${Object.keys(budgets).join(", ")}, not \`${entry}\`.`,
  );
}

/** Two thirds of the descriptors that this process may have: the others are for files, the database and what is sent. */
const mostConnections = (): number => Math.min(10_000, Math.floor((descriptors() * 2) / 3));

/** Linux tells. Elsewhere it is the least that servers usually have. */
function descriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(soft ?? usualDescriptors);
  } catch {
    return usualDescriptors;
  }
}

const usualDescriptors = 1_024;
