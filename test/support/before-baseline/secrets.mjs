// The secrets of the two fixtures. They protect nothing else.
export const sqliteSecret = "only-for-the-sqlite-fixture-of-the-tests";
export const postgresSecret = "only-for-the-postgres-fixture-of-the-tests";
