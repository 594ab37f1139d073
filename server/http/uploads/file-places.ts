/** The path of files in a body: keys, and `*` for each element of an array, such as `attachments.*.data`. */
export type FilePlace = readonly string[];

export const filePlaceOf = (pattern: string): FilePlace => pattern.split(".");

/**
 * Replaces every string of `value` at `place` with the result of `replace`, in order, inside the same objects.
 * Everything else stays as it is.
 */
export function replaceStringsAt(value: unknown, place: FilePlace, replace: (text: string) => unknown): void {
  const [step, ...rest] = place;
  if (step === undefined || !isHolder(value) || Array.isArray(value) !== (step === "*")) return;
  for (const key of step === "*" ? Object.keys(value) : [step]) {
    const child = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof child === "string" && rest.length === 0) value[key] = replace(child);
    else replaceStringsAt(child, rest, replace);
  }
}

const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
