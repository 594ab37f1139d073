import type { Engine } from "../../../server/database/database.ts";

/** SQL expressions that depend on a whole number `n`, for each engine. */
export interface Sql {
  readonly engine: Engine;
  /** An id of the kind `kind` (a hexadecimal digit or two), in the order of the numbers. */
  id(kind: string, n: string): string;
  /** An instant from milliseconds since 1970. */
  instant(milliseconds: string): string;
  /** A number from 0 to `below - 1` that looks random. Each salt gives a different number. */
  random(n: string, salt: Salt, below: number): string;
  /** Chooses a text by a number below 100. Each text has a share; the shares add up to 100. */
  share(percent: string, shares: Readonly<Record<string, number>>): string;
}

type Salt = keyof typeof multipliers;

const multipliers = {
  app: 2_654_435_761,
  other: 2_246_822_519,
  status: 3_266_489_917,
  type: 668_265_263,
  activity: 374_761_393,
  text: 1_540_483_477,
  words: 2_869_860_233,
} as const;

/** Returns the number that the SQL of `random` has for `n`. */
export const randomOf = (n: number, salt: Salt, below: number): number =>
  Math.floor(((n * multipliers[salt]) % 4_294_967_296) / 4_096) % below;

export const sqlOf = (engine: Engine): Sql => ({
  engine,
  id: (kind, n) =>
    `('${kind.padStart(8, "0")}-0000-7000-8000-' || substr('000000000000' || CAST(${n} AS text), length(CAST(${n} AS text)) + 1))`,
  instant: (milliseconds) =>
    engine === "sqlite"
      ? `strftime('%Y-%m-%dT%H:%M:%fZ', (${milliseconds}) / 1000.0, 'unixepoch')`
      : `to_char(to_timestamp((${milliseconds}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  // It uses the high bits of a product, because the low bits for two salts would be correlated.
  random: (n, salt, below) => `((((${n}) * ${multipliers[salt]}) % 4294967296 / 4096) % ${below})`,
  share: (percent, shares) => {
    let sum = 0;
    const cases = Object.entries(shares).map(([text, part]) => {
      sum += part;
      return `WHEN ${percent} < ${sum} THEN '${text}'`;
    });
    return `CASE ${cases.join(" ")} END`;
  },
});
