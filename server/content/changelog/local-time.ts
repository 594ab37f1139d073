import { Temporal } from "temporal-polyfill";

/**
 * Returns a local time of a form field, such as `2026-11-28T14:05`, in UTC and in the same form. Any other text is
 * returned without a change.
 */
export function utcOf(local: string, zone: string): string {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
    return new Date(epochMilliseconds).toISOString().slice(0, local.length > 16 ? 19 : 16);
  } catch {
    return local;
  }
}

/** Returns a time in UTC as the value of a form field in a time zone. An empty text is returned without a change. */
export function localOf(utc: string, zone: string): string {
  if (utc === "") return "";
  const instant = Temporal.Instant.from(`${utc}Z`);
  return instant.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "minute" });
}

/** Whether a text is the name of a time zone. Browsers and servers may use different names for one zone. */
export function isZone(name: string): boolean {
  try {
    return (
      name !== "" &&
      name.length <= 64 &&
      Temporal.Instant.from("2000-01-01T00Z").toZonedDateTimeISO(name) !== undefined
    );
  } catch {
    return false;
  }
}
