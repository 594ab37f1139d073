import type { Transaction } from "../../database/database.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import type { CountedDay } from "./slots-store.ts";

/** Stores the event that a day of a slot was counted. `eventId` is the id of the event. */
export const storeCountedEvent = (
  tx: Transaction,
  eventId: string,
  { appId, slotId, cycleId, dayIndex, kind, at }: CountedDay & { readonly appId: string },
): Promise<void> =>
  recordEvent({ newId: () => eventId }, tx, {
    ...{ appId, type: "day.counted", subjectId: slotId, at },
    facts: { cycleId, dayIndex, kind },
  });
