import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Drill } from "../backup/rules.ts";
import { countDrills } from "./drill-metrics.ts";

/** One answer of the server. */
interface CountedAnswer {
  readonly method: string;
  readonly route: string;
  readonly status: number;
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
  const durations = new Histogram({
    name: "innkeep_http_request_duration_seconds",
    help: "Time from a request's head to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  if (drill) countDrills(registry, drill);
  if (logBytes) measureLog(registry, logBytes);
  return {
    count: ({ milliseconds, ...labels }) => durations.observe(labels, milliseconds / 1_000),
    text: () => registry.metrics(),
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
