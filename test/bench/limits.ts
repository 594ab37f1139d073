import { join } from "node:path";
import { type LimitedServer, startLimitedServer } from "./limited-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { type Figure, type Measured, median } from "./table.ts";
import { isWanted } from "./wanted.ts";

/** Two servers without limits differ by up to a tenth for as long as they run. So several of each kind are compared. */
const sets = 4;
const rounds = 8;
const milliseconds = 300;
/**
 * A warm-up before the rounds, until each key was used a few times: the first use of a key reads it from the database,
 * and code is slow at first.
 */
const warmUpMilliseconds = 3_000;

/** Two kinds of limits: a low one that every key soon reaches, and the highest possible one. */
const limits = [
  { name: "120", setting: "feedback=120/60,agentReads=120/60" },
  { name: "1,000,000", setting: "feedback=1000000/60,agentReads=1000000/60" },
];

const kinds: readonly { readonly name: string; readonly targetOf: (server: LimitedServer) => LoadTarget }[] =
  [
    { name: "reports", targetOf: (server) => server.report },
    { name: "run polls", targetOf: (server) => server.poll },
  ];

const nameOf = (kind: string, limit: string) => `${kind} with limits of ${limit}`;

const wanted = kinds.flatMap((kind) =>
  limits
    .map((limit, place) => ({ name: nameOf(kind.name, limit.name), kind, place: place + 1 }))
    .filter(({ name }) => isWanted(name)),
);

/** The cost of limits: the ratio of requests per second with and without limits. */
export async function measureLimits(folder: string): Promise<Measured[]> {
  if (wanted.length === 0) return [];
  const ratios = new Map<string, number[]>(wanted.map(({ name }) => [name, []]));
  for (let set = 0; set < sets; set += 1) await measureSet(join(folder, `limits-${set}`), set, ratios);
  return wanted.map(({ name }) => figureOf(name, ratios.get(name) ?? []));
}

function figureOf(name: string, ofSets: readonly number[]): Figure {
  const value = ofSets.reduce((sum, ratio) => sum + ratio, 0) / ofSets.length;
  const sorted = ofSets.toSorted((a, b) => a - b).map((ratio) => ratio.toFixed(2));
  const detail = `${ofSets.length} sets of servers: ${sorted.join(", ")}`;
  return { name, value, unit: "x without", goal: [">=", 0.97], detail };
}

/** Starts a server without limits and one of each kind of limits, in another order each time, and compares them. */
async function measureSet(folder: string, set: number, ratios: ReadonlyMap<string, number[]>): Promise<void> {
  const settings = ["off", ...limits.map(({ setting }) => setting)];
  const servers: LimitedServer[] = [];
  try {
    for (const place of settings.keys()) {
      const which = (place + set) % settings.length;
      servers[which] = await startLimitedServer(join(folder, String(which)), settings[which] ?? "off");
    }
    for (const kind of kinds) await measureKind(kind, servers, ratios);
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

async function measureKind(
  kind: (typeof kinds)[number],
  servers: readonly LimitedServer[],
  ratios: ReadonlyMap<string, number[]>,
): Promise<void> {
  const figures = wanted.filter((figure) => figure.kind === kind);
  if (figures.length === 0) return;
  const speeds: number[][] = servers.map(() => []);
  for (const server of servers) await perSecondOf(kind.targetOf(server), warmUpMilliseconds);
  for (let round = 0; round < rounds; round += 1)
    for (const [place, server] of servers.entries())
      speeds[place]?.push(await perSecondOf(kind.targetOf(server), milliseconds));
  const [without = []] = speeds;
  for (const { name, place } of figures) {
    const ofRounds = without.map((speed, round) => (speeds[place]?.[round] ?? 0) / speed);
    ratios.get(name)?.push(median(ofRounds));
  }
}

async function perSecondOf(target: LoadTarget, milliseconds: number): Promise<number> {
  const { failures, failure, perSecond } = await load(target, milliseconds);
  if (failures > 0) throw new Error(`${failures} answers failed, such as ${failure}`);
  return perSecond;
}
