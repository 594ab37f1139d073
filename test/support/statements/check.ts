import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Engine } from "../../../server/database/database.ts";
import { loadSlices } from "./load-slices.ts";
import { literalsIn, type Place, placesIn } from "./places.ts";
import type { Prepare } from "./prepare.ts";
import { type Described, differingRowTypes } from "./row-types.ts";
import type { Known } from "./run.ts";
import { slicesOf } from "./slices.ts";
import { isText, readSources, type Source, textOf } from "./syntax.ts";
import { isUnreal, textsOf } from "./texts.ts";

/** The values that cannot be found in the sources, by `file function` or the beginning of that. */
export interface ByHand extends Pick<Known, "choices" | "examples"> {
  /** Places that are not prepared, with the reason. */
  readonly notPrepared: Readonly<Record<string, string>>;
  /** Places that a program executes with only one engine. */
  readonly onlyOn: Readonly<Record<string, Engine>>;
  /**
   * Statements whose columns are not compared: no engine names them before they run, or the caller passes the row type.
   */
  readonly withoutColumns: Readonly<Record<string, string>>;
}

export interface Checked {
  /** The number of calls of a reader with a row type, prepared or not. */
  readonly withRowType: number;
  /** Statements that an engine refuses, and places of which no statement is known. */
  readonly refused: readonly string[];
  /** Types of rows that differ from the columns, and rows without a type. */
  readonly differing: readonly string[];
  /** SQL texts that are part of no prepared statement. */
  readonly unused: readonly string[];
  /** Entries of the lists above for which there is no place in the sources. */
  readonly outdated: readonly string[];
}

const engines = ["sqlite", "postgres"] as const;

/** Prepares every statement of the server on both engines, and compares its columns with the type of its rows. */
export async function checkStatements(
  prepare: Readonly<Record<Engine, Prepare>>,
  byHand: ByHand,
  folder: string,
): Promise<Checked> {
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const sources = readSources("server");
  const all = sources.flatMap(placesIn);
  const places = all.filter((place) => !isIn(place, byHand.notPrepared));
  const known = { ...byHand, literals: literalsIn([...new Set(places.map(({ source }) => source))]) };
  const wanted = places.flatMap(({ given }) => given);
  const written = slicesOf(sources, wanted, new Set(known.examples.keys()));
  const slices = await loadSlices(written, folder);
  const found: FoundPlace[] = [];
  for (const place of places) {
    const only = byHand.onlyOn[begins(place.name, Object.keys(byHand.onlyOn)) ?? ""];
    const asked: Asked[] = [];
    for (const engine of only ? [only] : engines) {
      const texts = textsOf(slices, place, engine, known);
      if (texts) asked.push({ engine, ...(await prepareAll(prepare[engine], texts)) });
    }
    found.push({ place, asked });
  }
  const refused = new Map(found.map((one) => [one.place, refusals(one)]));
  const described = found.filter(({ place }) => refused.get(place)?.length === 0).map(describe);
  const silent = described.filter(
    ({ place, columns }) => place.rowType && columns.length === 0 && !isIn(place, byHand.withoutColumns),
  );
  const typed = described
    .filter((one) => !isUntyped(one) && !isIn(one.place, byHand.withoutColumns))
    .map(withoutAdded);
  return {
    withRowType: all.filter(({ rowType, maker }) => rowType && !maker).length,
    refused: [...refused.values()].flat(),
    differing: [
      ...silent.map(({ place }) => `${place.at}: no engine says which columns the statement returns.`),
      ...described.filter(isUntyped).map(({ place }) => `${place.at}: the rows have no type.`),
      ...(await differingRowTypes(typed.filter(isRead), folder)),
    ],
    unused: textsNotIn(
      sources,
      found.flatMap(({ asked }) => asked.flatMap(realTexts)),
      Object.keys(byHand.notPrepared),
    ),
    outdated: outdatedIn(
      byHand,
      [...all.map(({ name }) => name), ...sources.map(({ file }) => file)],
      [...written.values()].flat().join("\n"),
    ),
  };
}

/** The answers of an engine about the texts of a place. */
interface Asked extends Prepared {
  readonly engine: Engine;
}

interface FoundPlace {
  readonly place: Place;
  readonly asked: readonly Asked[];
}

const realTexts = ({ good, faults }: Prepared): string[] =>
  [...good, ...faults.filter(({ isReal }) => isReal)].map(({ sql }) => sql);

const describe = ({ place, asked }: FoundPlace): Described => {
  const lists = asked.flatMap(({ good }) => good.flatMap(({ names }) => (names ? [[...names].sort()] : [])));
  return { place, columns: [...new Map(lists.map((names) => [names.join(), names])).values()] };
};

/** A text with invented values may fail if another text of the same place does not. */
function refusals({ place, asked }: FoundPlace): string[] {
  if (asked.length === 0) return [`${place.at}: no program comes here.`];
  return asked.flatMap(({ engine, good, faults }) => {
    const [first] = good.length > 0 ? faults.filter(({ isReal }) => isReal) : faults;
    if (first) return [`${place.at} on ${engine}: ${first.message} ${oneLine(first.sql)}`];
    return good.length > 0 ? [] : [`${place.at} on ${engine}: no text is known.`];
  });
}

/** The names in the lists that match neither a place nor a file. */
const outdatedIn = (byHand: ByHand, names: readonly string[], written: string): string[] => [
  ...[byHand.notPrepared, byHand.onlyOn, byHand.withoutColumns]
    .flatMap(Object.keys)
    .filter((key) => !names.some((name) => begins(name, [key]))),
  ...[...byHand.examples.keys()].filter((key) => !written.includes(JSON.stringify(key))),
];

const begins = (name: string, keys: readonly string[]): string | undefined =>
  keys.find(
    (key) =>
      name === key ||
      name.startsWith(`${key}.`) ||
      name.startsWith(`${key} `) ||
      (key.endsWith("/") && name.startsWith(key)),
  );

const isIn = ({ name }: Place, list: Readonly<Record<string, string>>): boolean =>
  begins(name, Object.keys(list)) !== undefined;

interface Prepared {
  readonly good: readonly { readonly sql: string; readonly names: readonly string[] | undefined }[];
  readonly faults: readonly { readonly sql: string; readonly message: string; readonly isReal: boolean }[];
}

async function prepareAll(prepare: Prepare, texts: readonly string[]): Promise<Prepared> {
  const good = [];
  const faults = [];
  for (const sql of texts)
    try {
      good.push({ sql, names: await prepare(sql) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      faults.push({ sql, message, isReal: !isUnreal(sql, message) });
    }
  return { good, faults };
}

const oneLine = (sql: string): string => sql.replace(/\s+/g, " ").slice(0, 300);

/** `oneForViewer` and `eachForViewer` add columns, and their types. */
const added: readonly string[] = ["viewerRole", "place"];

const withoutAdded = ({ place, columns }: Described): Described => ({
  place,
  columns:
    place.rowType && place.maker
      ? columns.map((names) => names.filter((name) => !added.includes(name)))
      : columns,
});

/** Whether the code reads the columns. `SELECT 1 AS one` only checks whether there is a row. */
const isRead = ({ place, columns }: Described): boolean =>
  place.rowType !== undefined || (place.isRead && columns.some((names) => names.join() !== "one"));

/** Whether a place reads rows without a type: neither its own nor one of a description of a table. */
const isUntyped = (described: Described): boolean => {
  const { rowType, given, maker } = described.place;
  const isNamed = given[0] && /^[\w.]+$/.test(textOf(given[0].source, given[0].node));
  return rowType === undefined && maker === undefined && !isNamed && isRead(described);
};

/** Words of a complete statement, and words of a part of one. */
const sqlWords = /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/;
const wordsOfPart = /\b(WHERE|ORDER BY|IS (NOT )?NULL)\b| AS "|[<>=] \?/;

/** The texts with SQL words that are in no prepared statement. */
function textsNotIn(
  sources: readonly Source[],
  prepared: readonly string[],
  apart: readonly string[],
): string[] {
  const whole = prepared.join("\n");
  return sources
    .filter(({ file }) => begins(file, apart) === undefined)
    .flatMap((source) => {
      // In the description of a table, a part is usually a condition of an index, which each new database creates.
      const isDescription = source.file.startsWith("server/database/schema/");
      return source.nodes.filter(isText).flatMap((node) => {
        const text: unknown = node.type === "Literal" ? node.value : Object(node.value).cooked;
        if (typeof text !== "string" || !(sqlWords.test(text) || (!isDescription && wordsOfPart.test(text))))
          return [];
        // Some texts contain placeholders.
        const isUsed = text.split(/#\w+/).every((part) => whole.includes(part.trim()));
        return isUsed ? [] : [`${source.file}: ${oneLine(text)}`];
      });
    });
}
