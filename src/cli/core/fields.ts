type Fields = Readonly<Record<string, unknown>>;

/** The names in `--fields a,b.c`; undefined without the flag. */
export const fieldNames = (flag: string | undefined): readonly string[] | undefined =>
  flag
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The value of a dotted name; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return name.split(".").reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), value);
}

/** Only the named fields; a missing one is null. */
export const pick = (value: unknown, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fieldOf(value, name) ?? null]));

/** The names that no value has. */
export const unknownFields = (values: readonly unknown[], names: readonly string[]): string[] =>
  values.length === 0
    ? []
    : names.filter((name) => values.every((value) => fieldOf(value, name) === undefined));

/** All names, for a message. */
export const knownFields = (values: readonly unknown[]): string =>
  [...new Set(values.flatMap((value) => (isFields(value) ? Object.keys(value) : [])))].join(", ");

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
