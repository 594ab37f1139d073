import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Drill } from "../../domain/backups/drills.ts";
import { countDrills } from "./drill-metrics.ts";
import { createDurations, type DurationLabels } from "./durations.ts";

/** One answer of the server. */
interface CountedAnswer extends DurationLabels {
  readonly milliseconds: number;
}

export interface Metrics {
  /** Counts one answer. */
  count(answer: CountedAnswer): void;
  /** All figures as Prometheus text. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** What of this process has figures of its own. */
export interface Watched {
  /** The last nightly backup. */
  readonly drill?: (() => Drill | undefined) | undefined;
  /** The length of the log of SQLite, in bytes. */
  readonly logBytes?: (() => Promise<number>) | undefined;
}

/** Makes the metrics of this process: count, kind and duration of its answers, its work, and Node's own metrics. */
export function createMetrics({ drill, logBytes }: Watched = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = createDurations({
    name: "innkeep_http_request_duration_seconds",
    help: "Time from a request's head to its answer",
    bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
  });
  if (drill) countDrills(registry, drill);
  if (logBytes) measureLog(registry, logBytes);
  return {
    count: (answer) => durations.count(answer, answer.milliseconds / 1_000),
    text: async () => `${await registry.metrics()}\n${durations.text()}`,
    contentType: registry.contentType,
  };
}

function measureLog(registry: Registry, logBytes: () => Promise<number>): void {
  new Gauge({
    name: "innkeep_database_log_bytes",
    help: "The length of the log of SQLite",
    registers: [registry],
    async collect() {
      this.set(await logBytes());
    },
  });
}
