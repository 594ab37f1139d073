/** Limits with a short window are counted in the memory of each process. All others are rows of `rate_limits`. */
export const limitsInMemory = {
  number: 116,
  name: "limits in memory",
  statements: [
    "DROP TABLE limit_leases",
    "DROP TABLE limit_batches",
    // Uses in the form that was written from memory. The others are times of 13 digits.
    "DELETE FROM rate_limits WHERE times LIKE ';%' OR times LIKE 'u%'",
    "ALTER TABLE rate_limits DROP COLUMN stored_through",
  ],
};
