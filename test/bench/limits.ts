import { join } from "node:path";
import { type LimitedServer, startLimitedServer } from "./limited-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { type Figure, type Measured, median } from "./table.ts";
import { isWanted } from "./wanted.ts";

/** More than of other figures: the sides are nearly equal. */
const rounds = 25;
const milliseconds = 300;
/** Before the rounds, until each key was used a few times: the first use of a key reads it, and the first code is slow. */
const warmUpMilliseconds = 4_000;

/** Two kinds of limits: one that every key soon reaches, and the highest that can be set. */
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

const names = kinds.flatMap((kind) => limits.map((limit) => nameOf(kind.name, limit.name)));

/** What limits cost: the requests of a server with limits as a part of those of a server without. */
export async function measureLimits(folder: string): Promise<Measured[]> {
  if (!names.some(isWanted)) return [];
  const without = await startLimitedServer(join(folder, "limits-off"), "off");
  const figures: Measured[] = [];
  try {
    for (const limit of limits) figures.push(...(await measureLimit(folder, without, limit)));
  } finally {
    await without.stop();
  }
  return figures;
}

async function measureLimit(
  folder: string,
  without: LimitedServer,
  { name, setting }: (typeof limits)[number],
): Promise<Measured[]> {
  const limited = await startLimitedServer(join(folder, `limits-${name}`), setting);
  const figures: Measured[] = [];
  try {
    for (const kind of kinds.filter((kind) => isWanted(nameOf(kind.name, name)))) {
      const sides = { limited: kind.targetOf(limited), without: kind.targetOf(without) };
      figures.push(await compare(nameOf(kind.name, name), sides));
    }
  } finally {
    await limited.stop();
  }
  return figures;
}

interface Sides {
  readonly limited: LoadTarget;
  readonly without: LoadTarget;
}

async function compare(name: string, { limited, without }: Sides): Promise<Figure> {
  const ratios: number[] = [];
  const speeds: number[] = [];
  for (const side of [without, limited]) await load(side, warmUpMilliseconds);
  for (let round = 0; round < rounds; round += 1) {
    const free = await load(without, milliseconds);
    const held = await load(limited, milliseconds);
    if (held.failures > 0) throw new Error(`${held.failures} answers failed, such as ${held.failure}`);
    ratios.push(held.perSecond / free.perSecond);
    speeds.push(held.perSecond);
  }
  const detail = `${median(speeds).toFixed(0)}/s`;
  return { name, value: median(ratios), unit: "x without", goal: [">=", 0.97], detail };
}
