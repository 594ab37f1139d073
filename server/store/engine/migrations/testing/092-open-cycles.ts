/** The list of cycles for a tester reads the newest open cycles, a page at a time, and does not sort all of them. */
export const openCycles = {
  number: 92,
  name: "open-cycles",
  statements: ["CREATE INDEX cycles_open ON cycles (created_at, id) WHERE next_at IS NOT NULL"],
};
