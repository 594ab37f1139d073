/** How long answers took, by their labels. Counting one must be cheap, because every answer is counted. */
export interface Durations {
  count(labels: DurationLabels, seconds: number): void;
  /** All figures as Prometheus text. */
  text(): string;
}

export interface DurationLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface Counted {
  readonly labels: string;
  /** How many were at most as long as each bound, but longer than the bound before; at last, those longer than all bounds. */
  readonly counts: number[];
  sum: number;
}

interface Naming {
  readonly name: string;
  readonly help: string;
  /** In seconds, shortest first. */
  readonly bounds: readonly number[];
}

/** Makes a histogram. That of `prom-client` took 3 to 4 % of the main thread of a server that answers from memory. */
export function createDurations({ name, help, bounds }: Naming): Durations {
  const routes = new Map<string, Map<string, Counted>>();

  function find({ method, route, status }: DurationLabels): Counted {
    const ofRoute = routes.get(route) ?? new Map<string, Counted>();
    routes.set(route, ofRoute);
    const kind = `${method} ${status}`;
    const known = ofRoute.get(kind);
    if (known) return known;
    const labels = `method="${escaped(method)}",route="${escaped(route)}",status="${status}"`;
    const counted = { labels, counts: [...bounds, 0].map(() => 0), sum: 0 };
    ofRoute.set(kind, counted);
    return counted;
  }

  function linesOf({ labels, counts, sum }: Counted): string[] {
    let total = 0;
    const buckets = counts.map((count, place) => {
      total += count;
      return `${name}_bucket{le="${bounds[place] ?? "+Inf"}",${labels}} ${total}`;
    });
    return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`];
  }

  return {
    count(labels, seconds) {
      const counted = find(labels);
      let place = 0;
      while (seconds > (bounds[place] ?? seconds)) place += 1;
      counted.counts[place] = (counted.counts[place] ?? 0) + 1;
      counted.sum += seconds;
    },
    text: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...routes.values()].flatMap((kinds) => [...kinds.values()].flatMap(linesOf)),
        "",
      ].join("\n"),
  };
}

const escaped = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
