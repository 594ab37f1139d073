const mostCharacters = 500;

/** The text of a field of a value that may be unchecked, trimmed and cut. Empty if the field is missing or not text. */
export function fieldOf(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field.trim().slice(0, mostCharacters) : "";
}
