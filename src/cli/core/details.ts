/** Lines of `name  value` with aligned values. Missing values are left out. */
export function details(facts: Readonly<Record<string, string | number | null | undefined>>): string {
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const margin = " ".repeat(width + 2);
  return shown
    .map(([name, value]) => `${name.padEnd(width)}  ${String(value).replaceAll("\n", `\n${margin}`)}`)
    .join("\n");
}
