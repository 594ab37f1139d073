const mark = "/* planned each time */ ";

/**
 * Marks a statement whose best plan depends on its values, so that PostgreSQL plans it for each execution. Without the mark
 * the statement is named, and after five executions PostgreSQL uses one plan for all values. SQLite ignores the mark.
 */
export const plannedEachTime = (sql: string): string => mark + sql;

/** Whether `plannedEachTime` made this statement. */
export const isPlannedEachTime = (sql: string): boolean => sql.startsWith(mark);
