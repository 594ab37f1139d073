import { eachForViewer, oneForViewer } from "../../../server/access/members/visibility.ts";
import type { Engine } from "../../../server/database/database.ts";
import { insert, update } from "../../../server/database/transaction.ts";
import type { Maker, Place } from "./places.ts";
import { type Known, type Slices, unknownPart, valuesOf } from "./run.ts";
import { idOf } from "./slices.ts";

const makers = { oneForViewer, eachForViewer, update, insert };

/** The texts that a place passes to an engine; undefined if no program executes the place with this engine. */
export function textsOf(slices: Slices, place: Place, engine: Engine, known: Known): string[] | undefined {
  const [first, second] = place.given.map((wanted) => valuesOf(slices, idOf(wanted), engine, known));
  if (first === undefined || first.isElsewhere) return undefined;
  const { maker } = place;
  if (maker === undefined) return [...new Set(first.values.map(String))];
  const rests = second?.values ?? [undefined];
  return first.values.flatMap((one) => rests.flatMap((rest) => textsOfMade(maker, engine, [one, rest])));
}

/** The texts that a created function passes to the database. It sets all columns of a table. */
function textsOfMade(maker: Maker, engine: Engine, given: readonly unknown[]): string[] {
  const texts: string[] = [];
  const keep = async (sql: string) => {
    texts.push(sql);
    return [];
  };
  const reader = { engine, get: (sql: string) => keep(sql).then(() => undefined), all: keep, run: keep };
  const made: unknown = Reflect.apply(makers[maker], undefined, given);
  const asked = { oneForViewer: viewer, eachForViewer: [], update: rowOf(given[0]), insert: rowOf(given[0]) };
  if (typeof made !== "function") throw new Error(`${maker} makes no function.`);
  // It does not matter how it handles an empty result.
  Promise.resolve(Reflect.apply(made, undefined, [reader, asked[maker]])).catch(() => undefined);
  return texts;
}

const viewer = { userId: "", appId: null, needs: "viewer" };

function rowOf(table: unknown): Readonly<Record<string, number>> {
  const fields: unknown = Reflect.get(Object(table), "fields");
  return fields instanceof Map ? Object.fromEntries([...fields.keys()].map((name) => [String(name), 1])) : {};
}

/** Whether a text failed because of a placeholder for an unknown value, or because a list in it is empty. */
export const isUnreal = (sql: string, message: string): boolean =>
  new RegExp(`${unknownPart}|\\bnan\\b`, "i").test(message) ||
  /\bundefined\b|\bnull\b|\[object/.test(sql) ||
  new RegExp(`\\b(AND|OR|NOT|WHERE)\\s+\\(?${unknownPart}`).test(sql) ||
  /(\bIN|\bVALUES|[<>=])\s*\(\s*\)|\bSET\s+WHERE\b/.test(sql);
