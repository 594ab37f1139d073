import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** Counts one answer. */
  count(method: string, route: string, status: number, milliseconds: number): void;
  /** All figures as Prometheus text. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Makes the metrics of this process: count, kind and duration of its answers, and Node's own metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "innkeep_http_request_duration_seconds",
    help: "Time from a request's head to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  const children = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    count(method, route, status, milliseconds) {
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
