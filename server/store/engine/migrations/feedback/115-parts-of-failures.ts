/**
 * `failure_runs.parts`: of a report that sums up many tests, the beginnings of the keys of those that have not passed since,
 * as a JSON list. Null for a report of one failure.
 */
export const partsOfFailures = {
  number: 115,
  name: "parts-of-failures",
  statements: ["ALTER TABLE failure_runs ADD COLUMN parts TEXT"],
};
