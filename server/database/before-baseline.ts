import { createHash } from "node:crypto";
import type { Engine } from "./database.ts";

/** Migrations that are no longer in this program: another one stands in their place. */
export interface Replaced {
  /** The last commit that has them. */
  readonly commit: string;
  readonly count: number;
  /** The number of the last one. */
  readonly last: number;
  /** The hash of their numbers and names. */
  readonly names: string;
  /** The hash of their numbers, names and checksums. */
  readonly checksums: Readonly<Record<Engine, string>>;
}

/** A migration that was applied. A backup does not say its checksum. */
export interface Named {
  readonly number: number;
  readonly name: string;
}

export interface Applied extends Named {
  readonly checksum: string;
}

/** Whether a database or a backup has no migration that came after the replaced ones. */
export const isFromBefore = (applied: readonly Named[], { last }: Replaced): boolean =>
  applied.length > 0 && applied.every(({ number }) => number <= last);

/** Whether a backup has exactly the replaced migrations. */
export const hasNamesOf = (applied: readonly Named[], { names }: Replaced): boolean =>
  hashOf(applied.map(({ number, name }) => [number, name])) === names;

/** Whether a database has exactly the replaced migrations. */
export const hasAllOf = (applied: readonly Applied[], { checksums }: Replaced, engine: Engine): boolean =>
  hashOf(applied.map(({ number, name, checksum }) => [number, name, checksum])) === checksums[engine];

/** What to tell the operator of a database or a backup that has only some of the replaced migrations, or others. */
export function tooOld(what: "database" | "backup", applied: readonly Named[], replaced: Replaced): Error {
  const { commit, count, last } = replaced;
  const newest = applied.at(-1);
  const found =
    applied.length < count
      ? `it has ${applied.length} migrations, up to ${newest?.number} "${newest?.name}", in place of ${count}, up to ${last}`
      : `its migrations are not the ${count} that this version goes on from`;
  const restore = what === "backup" ? `Restore it with commit ${commit} of \`main\`. ` : "";
  return new Error(
    `This version of Innkeep cannot use this ${what}: ${found}. ${restore}Start once with commit ${commit} of \`main\`, then with this version.`,
  );
}

export const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");
