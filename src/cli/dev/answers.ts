/** The fields of a value that are texts or numbers; none of a value that is no object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The items of an answer with a list. */
export function itemsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { items } = fieldsOf(answer);
  return Array.isArray(items) ? items.map(fieldsOf) : [];
}
