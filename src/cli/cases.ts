import type { Listing } from "./core/listed-values.ts";
import type { Place, Values } from "./places.ts";

/** One branch of a `case`: the patterns, and what to do. */
export interface Branch {
  readonly patterns: readonly string[];
  readonly action: string;
}

/** Flags that tell a listing command which server and app are meant. */
export const contextFlags = ["--app", "--profile", "--base-url", "--token-file", "--api-key-file"];

/** Each step from a place to the next, with the other names of the word. */
export const steps = (places: readonly Place[], action: (path: string) => string): Branch[] =>
  places.flatMap((place) =>
    place.steps.map(({ word, aliases }) => ({
      patterns: [word, ...aliases].map((one) => `${place.path}/${one}`),
      action: action(place.path === "" ? word : `${place.path}/${word}`),
    })),
  );

/** The flags that take a value, as `path/--flag`; `*` for the path if every place has the flag with one. */
export function valuedFlags(places: readonly Place[]): string[] {
  const flags = places.flatMap(({ path, flags: own }) => own.map((flag) => ({ path, ...flag })));
  const plain = new Set(flags.filter(({ takesValue }) => !takesValue).map(({ word }) => word));
  const valued = flags.filter(({ takesValue }) => takesValue);
  const patterns = valued.map(({ path, word }) => (plain.has(word) ? `${path}/${word}` : `*/${word}`));
  return [...new Set(patterns)];
}

/** What the value of a flag may be, with the places that agree on it. */
export function flagValues(places: readonly Place[], action: (values: Values) => string): Branch[] {
  const byAction = new Map<string, string[]>();
  for (const { path, flags } of places)
    for (const { word, values } of flags) if (values) add(byAction, action(values), `${path}/${word}`);
  return branches(byAction);
}

/** What the arguments of a command may be. */
export function argumentValues(places: readonly Place[], action: (values: Values) => string): Branch[] {
  const byAction = new Map<string, string[]>();
  for (const { path, argument } of places) if (argument) add(byAction, action(argument), path);
  return branches(byAction);
}

function add(byAction: Map<string, string[]>, action: string, pattern: string): void {
  byAction.set(action, [...(byAction.get(action) ?? []), pattern]);
}

const branches = (byAction: ReadonlyMap<string, readonly string[]>): Branch[] =>
  [...byAction].map(([action, patterns]) => ({ patterns, action }));

/** The command that lists values, as words of a shell. */
export const listCommand = ({ command, value, name }: Listing): string =>
  `innkeep ${command.join(" ")} --fields ${value},${name}`;
