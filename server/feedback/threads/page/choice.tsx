import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { isZone, utcOf } from "../../../content/changelog/rules/local-time.ts";
import { snoozeRefusal } from "../rules.ts";

/** The times for which a person can snooze a thread, in hours, and their names. */
export const snoozes = [
  ["4", "For 4 hours"],
  ["24", "For a day"],
  ["72", "For 3 days"],
  ["168", "For a week"],
  ["720", "For 30 days"],
] as const;

/** The value of a button that snoozes a thread until the day in `SnoozeDay`. */
export const untilDay = "day";

/** The hour at which a thread comes back on the chosen day, in the time zone of the person. */
const firstHour = "08:00";

/** The field for the day until which a thread is snoozed. A script fills in the time zone of the browser. */
export const SnoozeDay = ({ id }: { readonly id: string }) => (
  <>
    <label for={id}>Until 8:00 on this day</label>
    <input id={id} type="date" name="snoozeDay" />
    <input type="hidden" name="snoozeZone" data-own-zone />
  </>
);

/**
 * Returns when a snooze ends: after this number of hours, or on the day of the form. The day is in the time zone of the
 * person's profile, or else in that of the browser. Throws `bad_request` if the form has no day.
 */
export async function snoozeEnd({ fields, now, reads }: SignedInVisit, value: string): Promise<string> {
  if (value !== untilDay) {
    const hours = Number(value);
    if (!(hours > 0 && hours <= limits.snoozeDays * 24)) throw refused("Choose a time of the list.");
    return new Date(now.getTime() + hours * 3_600_000).toISOString();
  }
  const sent = fields.text("snoozeZone");
  const zone = (await reads.ownZone()) ?? (isZone(sent) ? sent : "UTC");
  const day = fields.text("snoozeDay");
  if (day === "") throw refused("Choose the day on which the thread comes back.");
  const end = `${utcOf(`${day}T${firstHour}`, zone)}:00Z`;
  if (snoozeRefusal({ status: "open", until: end }, now))
    throw refused(`Choose a day after today, in the next ${limits.snoozeDays} days.`);
  return end;
}

const refused = (message: string): ApiError => new ApiError("bad_request", { message });
