/** The checked part of an answer: whether it is a list, and the fields of it or of its elements. */
export interface Shape {
  readonly isList: boolean;
  readonly fields: readonly string[];
}

/** The shape that a schema describes; undefined if it is neither an object nor a list of objects. */
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
 * Whether an answer has the expected shape. Fields may be missing or unknown, because servers differ; an object
 * without any of the fields is refused.
 */
export function fits(value: unknown, { isList, fields }: Shape): boolean {
  if (Array.isArray(value)) return isList;
  return !isList && typeof value === "object" && value !== null && fields.some((name) => name in value);
}

const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
