import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { systemClock } from "../clock.ts";
import type { Recipient } from "../secrets/age/age-keys.ts";
import type { Chain } from "./chain.ts";
import type { Copier } from "./copier.ts";
import type { FileCopies } from "./file-copies.ts";
import { copyJournal, copySecret } from "./kept-beside.ts";
import { begunAt } from "./names.ts";
import type { Listed, Place } from "./places/place.ts";
import {
  expired,
  generationMs,
  generationsIn,
  needless,
  noteUnnamed,
  removeGeneration,
} from "./retention.ts";

const tidyMs = 3_600_000;
const tidyAgainMs = 600_000;

export interface KeepingOrder {
  readonly place: Place;
  readonly recipients: readonly Recipient[];
  readonly keptDays: number;
  /** The secret of the data folder, if it is there. */
  readonly secretFile: string;
  /** Where erasures are noted. */
  readonly journal: string;
  /** Whether the clock has jumped. Meanwhile no generation begins or is deleted because of its age. */
  readonly isTimeDoubtful?: () => boolean;
  /** How long after a failure old copies are deleted again. */
  readonly tidyAgainMs?: number;
}

export interface Keeping {
  /** Stores what a new generation needs beside the database. */
  prepare(chain: Chain, unnamed: readonly Listed[]): Promise<void>;
  isRenewalDue(): boolean;
  copyJournal(): Promise<void>;
  isTidyDue(): boolean;
  /**
   * Deletes old generations, and copies of files that no kept generation needs. Never rejects: what could not be deleted is in the
   * log, and is due again later. Only one call at a time.
   */
  tidy(): Promise<void>;
}

interface KeepingParts {
  readonly copier: Copier;
  readonly files: FileCopies;
  readonly stopping: AbortSignal;
}

/** What is kept beside the chains, and for how long. */
export function createKeeping(log: Logger, order: KeepingOrder, parts: KeepingParts): Keeping {
  const { place, recipients, keptDays, secretFile, journal, isTimeDoubtful = () => false } = order;
  const { copier, stopping } = parts;
  const remove = createRemoval(order, parts);
  let journalCopied: string | undefined;
  let tidyAt = 0;

  return {
    isTidyDue: () => performance.now() >= tidyAt && !isTimeDoubtful(),
    async tidy() {
      if (isTimeDoubtful()) return;
      tidyAt = Number.POSITIVE_INFINITY;
      try {
        const count = await remove();
        tidyAt = performance.now() + tidyMs;
        if (count > 0) log.info({ count }, "deleted old generations of the continuous backup");
      } catch (error) {
        tidyAt = performance.now() + (order.tidyAgainMs ?? tidyAgainMs);
        if (!stopping.aborted)
          log.error({ err: error }, "old copies of the continuous backup are not deleted: it is tried again");
      }
    },
    isRenewalDue() {
      const name = copier.current()?.chain.generation;
      const begun = name === undefined ? undefined : begunAt(name);
      if (begun === undefined || isTimeDoubtful()) return false;
      // It began in the future if the clock was set back since.
      return Math.abs(systemClock.now().getTime() - begun.getTime()) > generationMs(keptDays);
    },
    async prepare({ generation }, unnamed) {
      await noteUnnamed(
        place,
        generation,
        unnamed.map(({ name }) => name),
      );
      const secret = await textOf(secretFile);
      if (secret) await copySecret(place, { generation, secret }, recipients);
    },
    async copyJournal() {
      const text = await textOf(journal);
      if (!text || text.toString() === journalCopied) return;
      await copyJournal(place, text, recipients);
      journalCopied = text.toString();
    },
  };
}

/** Gives a function that deletes what is too old, and gives the number of deleted generations. Rejects if something is left. */
function createRemoval({ place, keptDays }: KeepingOrder, { copier, files, stopping }: KeepingParts) {
  // Also at the start: an earlier process may have been killed after it had deleted a generation.
  let areFilesDue = true;
  return async () => {
    const generations = await generationsIn(place);
    const current = copier.current()?.chain.generation;
    const old = await expired(place, generations, { keptDays, now: systemClock.now(), current });
    if (old.length > 0) areFilesDue = true;
    const failures: unknown[] = [];
    for (const generation of old)
      await removeGeneration(place, generation, stopping).catch((error) => void failures.push(error));
    // A generation that could not be deleted may still need its files.
    if (failures.length > 0) throw failures[0];
    const [oldest] = generations.filter((each) => !old.includes(each));
    if (oldest && areFilesDue) await files.remove((unnamed) => needless(place, oldest, unnamed));
    areFilesDue = false;
    return old.length;
  };
}

const textOf = (file: string): Promise<Buffer | undefined> =>
  readFile(file).catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
