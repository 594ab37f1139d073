import { Temporal } from "temporal-polyfill";

/** The first instant of a calendar day (YYYY-MM-DD) in UTC; undefined for other text. (rule O4) */
export const startOfDay = (text: string): string | undefined => startOf(dayOf(text));

/** The first instant after a calendar day (YYYY-MM-DD) in UTC; undefined for other text. (rule O4) */
export const endOfDay = (text: string): string | undefined => startOf(dayOf(text)?.add({ days: 1 }));

const startOf = (day: Temporal.PlainDate | undefined): string | undefined => day && `${day}T00:00:00.000Z`;

function dayOf(text: string): Temporal.PlainDate | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}
