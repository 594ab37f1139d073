import { onOneLine } from "./plain-text.ts";

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const units = [
  { seconds: 86_400, name: "d" },
  { seconds: 3_600, name: "h" },
  { seconds: 60, name: "min" },
] as const;
const longestRelative = 30 * 86_400;

/** An instant for a person: `3 h ago`, `in 2 d`, or the day if it is far away. Any other text stays, on one line. */
export function relativeTime(text: string, now: Date): string {
  if (!instant.test(text)) return onOneLine(text);
  const seconds = (Date.parse(text) - now.getTime()) / 1_000;
  const distance = Math.abs(seconds);
  if (distance >= longestRelative) return text.slice(0, 10);
  const unit = units.find((one) => distance >= one.seconds);
  if (!unit) return "now";
  const length = `${Math.floor(distance / unit.seconds)} ${unit.name}`;
  return seconds < 0 ? `${length} ago` : `in ${length}`;
}
