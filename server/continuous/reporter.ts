import type { Logger } from "pino";
import type { CopierEvents } from "./copier-parts.ts";

/** What a server knows of its continuous backup, for the metrics. */
export interface ContinuousStatus {
  /** Everything up to this instant is copied; undefined until the first copy is complete. */
  readonly copiedAt: Date | undefined;
  readonly bytes: number;
  readonly failures: number;
  /** How many generations this process has begun or gone on with. */
  readonly generations: number;
  /** The longest time in which no write happened, because the log was written back, also before a copy of the whole file. */
  readonly longestRestMs: number;
}

export interface Reporter extends CopierEvents {
  readonly status: () => ContinuousStatus;
  /** A generation is complete. */
  began(generation: string, how: "began" | "goes on"): void;
}

const repeatedAfterMs = 60_000;

/** Keeps the figures, and writes into the log what an operator must know: a failure at most once a minute. */
export function createReporter(log: Logger): Reporter {
  let figures: ContinuousStatus = {
    ...{ copiedAt: undefined, bytes: 0, failures: 0, generations: 0, longestRestMs: 0 },
  };
  let failedAt: number | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    status: () => figures,
    copied(at) {
      figures = { ...figures, copiedAt: at };
      if (failedAt !== undefined) {
        const seconds = Math.round((performance.now() - failedAt) / 1_000);
        log.warn({ seconds }, "continuous backup works again");
      }
      failedAt = undefined;
      toldAt = Number.NEGATIVE_INFINITY;
    },
    stored(bytes) {
      figures = { ...figures, bytes: figures.bytes + bytes };
    },
    rested(milliseconds) {
      figures = { ...figures, longestRestMs: Math.max(figures.longestRestMs, milliseconds) };
    },
    failed(error) {
      figures = { ...figures, failures: figures.failures + 1 };
      failedAt ??= performance.now();
      if (performance.now() - toldAt < repeatedAfterMs) return;
      toldAt = performance.now();
      log.error(
        { err: error, copiedAt: figures.copiedAt },
        "continuous backup failed: changes are not copied",
      );
    },
    lost: (reason) =>
      log.error(
        { reason, copiedAt: figures.copiedAt },
        "continuous backup must copy the whole database again: changes since the last copy cannot be restored until then",
      ),
    began(generation, how) {
      figures = { ...figures, generations: figures.generations + 1 };
      log.info({ generation }, `continuous backup ${how}`);
    },
  };
}
