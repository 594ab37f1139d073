/** As much of an answer as is checked: whether it is a list, and the fields of it or of its elements. */
export interface Shape {
  readonly isList: boolean;
  readonly fields: readonly string[];
}

/** The shape that a schema describes; undefined where it is neither an object nor a list of them. */
export function shapeOf(schema: unknown): Shape | undefined {
  const definition = at(at(schema, "_zod"), "def");
  if (at(definition, "type") === "array") {
    const element = shapeOf(at(definition, "element"));
    return element && { isList: true, fields: element.fields };
  }
  const shape = at(definition, "shape");
  return typeof shape === "object" && shape !== null
    ? { isList: false, fields: Object.keys(shape) }
    : undefined;
}

/**
 * Whether an answer can be what was asked for. Only what is quite different is not: fields may be missing or unknown,
 * because servers differ, but an object that has none of them is something else.
 */
export function fits(value: unknown, { isList, fields }: Shape): boolean {
  if (Array.isArray(value)) return isList;
  return !isList && typeof value === "object" && value !== null && fields.some((name) => name in value);
}

const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
