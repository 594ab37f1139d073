/** The fields of a value that are texts or numbers; no fields for a value that is not an object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The items of an answer with a list. */
export function itemsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { items } = fieldsOf(answer);
  return Array.isArray(items) ? items.map(fieldsOf) : [];
}
