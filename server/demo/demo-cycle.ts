import type { ReceivedFile } from "../../src/contract/received-file.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";

/** The cycle of the demo. */
export interface DemoCycle {
  readonly id: string;
  readonly appId: string;
  /** The start of each day, and then the end of the last day. */
  readonly dayStarts: readonly string[];
  /** The image in every proof. */
  readonly picture: ReceivedFile;
}

/** What writes the slots and days of the demo's cycle. */
export interface CycleSeeding {
  readonly deps: Pick<Deps, "clock" | "newId" | "sealer">;
  readonly tx: Transaction;
  readonly cycle: DemoCycle;
}

export const minute = 60_000;
export const hour = 60 * minute;

/** The instant `milliseconds` after `at`. */
export const later = (at: string | undefined, milliseconds: number): string =>
  new Date(Date.parse(at ?? "") + milliseconds).toISOString();
