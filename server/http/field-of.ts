const mostCharacters = 500;

/** The text of a field, trimmed and cut, of a value that was perhaps not checked; empty if it has no such text. */
export function fieldOf(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field.trim().slice(0, mostCharacters) : "";
}
