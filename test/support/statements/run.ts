import type { Engine } from "../../../server/database/database.ts";

/** The functions that `slicesOf` has written, by their ids. */
export type Slices = ReadonlyMap<string, (run: Run) => unknown>;

/** The functions that a slice may call. Each run returns one of the possible values; other runs try the other ones. */
interface Run {
  /** The value of another slice. */
  at(id: string): unknown;
  /** A value that comes from a request or a row. With `maybe` it may be undefined. */
  any(name: string, maybe?: boolean): unknown;
  pick(key: string, choices: readonly (() => unknown)[]): unknown;
  /** An item of a list. */
  each(key: string, list: unknown): unknown;
  /** Ends the run if a condition for the place is false. */
  only(holds: boolean): void;
  /** A value from the list in `check.ts`. */
  example(name: string): unknown;
}

/** A place that a program does not execute on this engine. */
const elsewhere = Symbol("elsewhere");

/** A choice: the possible values, and the chosen one. */
interface Choice {
  readonly key: string;
  readonly taken: number;
  readonly of: number;
}

export interface Values {
  readonly values: readonly unknown[];
  /** Whether no run got to the place. */
  readonly isElsewhere: boolean;
}

/** Far more than any place needs. */
const mostRuns = 2_000;

/** The placeholder in a statement for a text or a number that is known only at run time. */
export const unknownPart = "70707";

/** The data for all runs. */
export interface Known {
  /** Further possible values of a property, by its name. */
  readonly literals: ReadonlyMap<string, readonly string[]>;
  /** All possible values of a property, by its name. */
  readonly choices: ReadonlyMap<string, readonly unknown[]>;
  /** The value of `file name`. */
  readonly examples: ReadonlyMap<string, (engine: Engine) => readonly unknown[]>;
}

/**
 * All values that an expression may have on an engine. Each possible value is tried at least once, but not all
 * combinations.
 */
export function valuesOf(slices: Slices, id: string, engine: Engine, known: Known): Values {
  const values = new Set<unknown>();
  const tried = new Set<string>();
  const waiting: (readonly number[])[] = [[]];
  let isElsewhere = true;
  for (let runs = 1; ; runs++) {
    const start = waiting.shift();
    if (start === undefined) return { values: [...values], isElsewhere };
    if (runs > mostRuns) throw new Error(`${id} has more than ${mostRuns} values.`);
    const choices: Choice[] = [];
    try {
      values.add(startRun(slices, { engine, known, start, choices }).at(id));
      isElsewhere = false;
    } catch (error) {
      // Some values do not fit together. Then the code that uses them throws.
      if (error !== elsewhere) isElsewhere = false;
    }
    choices.forEach(({ key, of }, place) => {
      if (place < start.length) return;
      const before = choices.slice(0, place).map(({ taken }) => taken);
      for (let other = 1; other < of; other++) {
        const name = `${key} ${other}`;
        if (!tried.has(name)) waiting.push([...before, other]);
        tried.add(name);
      }
    });
  }
}

interface Given {
  readonly engine: Engine;
  readonly known: Known;
  readonly start: readonly number[];
  readonly choices: Choice[];
}

const deepest = 25;

function startRun(slices: Slices, { engine, known, start, choices }: Given): Run {
  const made = new Map<string, unknown>();
  let depth = 0;

  const choose = (key: string, of: number): number => {
    const taken = start[choices.length] ?? 0;
    choices.push({ key, taken, of });
    return taken;
  };

  /** In one run, the same object is always the same. */
  const once = (name: string, make: () => unknown): unknown => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name);
  };

  const thing = (path: string): unknown => once(`thing ${path}`, () => anything(path));

  const chosen = (path: string, maybe: boolean): unknown =>
    once(path, () => {
      const name = path.split(".").at(-1) ?? "";
      const all = known.choices.get(name);
      if (all) return all[choose(`all ${path}`, all.length)];
      const others = [...(maybe ? [undefined] : []), ...(known.literals.get(name) ?? [])];
      const taken = choose(`any ${path}`, others.length + 1);
      return taken === 0 ? thing(path) : others[taken - 1];
    });

  /** An unknown object, of which only the path is known. It can be called, and has every property and two items. */
  const anything = (path: string): unknown => {
    const items = () => [thing(`${path}.item`), thing(`${path}.item`)];
    return new Proxy(() => {}, {
      has: () => true,
      apply: () => thing(`${path}()`),
      get(_, name) {
        if (name === "engine") return engine;
        if (name === "then") return undefined;
        if (name === "length") return 2;
        if (name === "toString" || name === Symbol.toPrimitive) return () => unknownPart;
        if (name === Symbol.iterator) return () => items()[Symbol.iterator]();
        if (typeof name === "symbol") return undefined;
        if (/^(map|flatMap|filter|slice|join|forEach|some|every|find|at|concat)$/.test(name)) {
          const list = items();
          return (...args: unknown[]) => Reflect.apply(Reflect.get(list, name), list, args);
        }
        return chosen(`${path}.${name}`, true);
      },
    });
  };

  const run: Run = {
    at(id) {
      const slice = slices.get(id);
      if (slice === undefined) throw new Error(`There is no slice ${id}.`);
      if (depth > deepest) return thing(id);
      depth += 1;
      try {
        return slice(run);
      } finally {
        depth -= 1;
      }
    },
    any: (name, maybe = false) => chosen(name, maybe),
    pick(key, all) {
      const choice = all.length === 1 ? all[0] : all[choose(key, all.length)];
      try {
        return choice?.();
      } catch (error) {
        if (error === elsewhere) throw error;
        // The argument of a caller may depend on a request in a way that only a real request satisfies.
        return thing(key);
      }
    },
    each(key, list) {
      const all = Array.isArray(list) ? list : isIterable(list) ? [...list] : [list];
      return all.length === 1 ? all[0] : all[choose(key, all.length)];
    },
    example(name) {
      const all = known.examples.get(name)?.(engine) ?? [];
      return all[choose(`example ${name}`, all.length)];
    },
    only(holds) {
      if (!holds) throw elsewhere;
    },
  };
  return run;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  value !== null && value !== undefined && Reflect.has(Object(value), Symbol.iterator);
