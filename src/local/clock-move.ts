const units = /(\d{1,9})([wdhms])/g;
const seconds: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };

/** Returns the ISO 8601 duration of a text such as `1d`, `+2h30m`, `-90s` or `P1D`, or undefined. */
export function isoDuration(given: string): string | undefined {
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(given.trim()) ?? [];
  if (/^P/i.test(rest)) return `${sign === "-" ? "-" : ""}${rest.toUpperCase()}`;
  const parts = [...rest.toLowerCase().matchAll(units)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== rest.toLowerCase()) return undefined;
  const total = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (seconds[unit] ?? 0), 0);
  return `${sign === "-" ? "-" : ""}PT${total}S`;
}
