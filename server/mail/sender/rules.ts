const names = ["language", "locale", "lang"];

/** Returns the language that an app has written into the metadata of a report; undefined if it has written none. */
export function languageOfReport(metadata: string): string | undefined {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(Object(JSON.parse(metadata))));
  return names
    .map((name) => values.get(name))
    .find((value) => typeof value === "string" && value !== "")
    ?.toString();
}
