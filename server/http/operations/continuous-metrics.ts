import { Counter, Gauge, type Registry } from "prom-client";
import { systemClock } from "../../clock.ts";
import type { ContinuousStatus } from "../../continuous/reporter.ts";

const prefix = "innkeep_continuous_backup";

/** Adds the figures of the continuous backup, as they are when somebody asks. */
export function countContinuous(registry: Registry, status: () => ContinuousStatus): void {
  const began = systemClock.now();
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...{ name: `${prefix}_${name}`, help, registers: [registry] },
      collect() {
        this.set(value());
      },
    });
  gauge(
    "copied_timestamp_seconds",
    "The instant up to which all changes are copied; 0 before the first copy",
    () => Math.floor(Number(status().copiedAt ?? 0) / 1_000),
  );
  gauge("lag_seconds", "The age of the last change that may not be copied", () =>
    Math.max(0, (Number(systemClock.now()) - Number(status().copiedAt ?? began)) / 1_000),
  );
  gauge(
    "longest_rest_seconds",
    "The longest time in which no write happened, because the log of SQLite was written back",
    () => status().longestRestMs / 1_000,
  );
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      ...{ name: `${prefix}_${name}`, help, registers: [registry] },
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  counter("bytes_total", "Bytes of the database and its log that were stored", () => status().bytes);
  counter("failures_total", "Failures to store or read a copy", () => status().failures);
  counter(
    "generations_total",
    "Generations that this process has begun or gone on with",
    () => status().generations,
  );
}
