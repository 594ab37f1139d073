import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { ContinuousStatus } from "../../continuous/reporter.ts";
import type { Drill } from "../../domain/backups/drills.ts";
import { countContinuous } from "./continuous-metrics.ts";
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
  readonly continuous?: (() => ContinuousStatus) | undefined;
}

/** Makes the metrics of this process: count, kind and duration of its answers, its work, and Node's own metrics. */
export function createMetrics({ drill, continuous }: Watched = {}): Metrics {
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
  if (continuous) countContinuous(registry, continuous);
  const children = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    count({ method, route, status, milliseconds }) {
      const name = `${method} ${route} ${status}`;
      let child = children.get(name);
      if (!child) {
        child = durations.labels(method, route, String(status));
        children.set(name, child);
      }
      child.observe(milliseconds / 1_000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
