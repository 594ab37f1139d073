/**
 * Open slots and requested ones are found without the slots that have a tester: every page of the console counts the requests in the
 * cycles of a person's apps, and the list of cycles for a tester counts what is free in each.
 */
export const freeSlots = {
  number: 90,
  name: "free-slots",
  statements: [
    "CREATE INDEX slots_open ON slots (cycle_id, seat, created_at, id) WHERE status = 'open'",
    "CREATE INDEX slots_asked ON slots (cycle_id, request_expires_at, seat, created_at, id) WHERE status = 'requested'",
  ],
};
