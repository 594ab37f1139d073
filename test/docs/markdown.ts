/** A table in Markdown; an empty text if there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), `|${" --- |".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").trim();

/** A value as a block of JSON. */
export const jsonBlock = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-");

/** The parts of a page with an empty line between them. */
export const page = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`;

/** Seconds in the largest unit that fits: `60` is `minute`, `900` is `15 minutes`. */
export function spanOf(seconds: number): string {
  const units = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
    [1, "second"],
  ] as const;
  const [size, name] = units.find(([unit]) => seconds % unit === 0) ?? [1, "second"];
  const count = seconds / size;
  return count === 1 ? name : `${count} ${name}s`;
}
