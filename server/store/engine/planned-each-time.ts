const mark = "/* planned each time */ ";

/**
 * Marks a statement whose best plan depends on its values. PostgreSQL then plans it for each execution: a named statement
 * gets one plan for all values after five executions. SQLite ignores the mark.
 */
export const plannedEachTime = (sql: string): string => mark + sql;

/** Whether `plannedEachTime` made this statement. */
export const isPlannedEachTime = (sql: string): boolean => sql.startsWith(mark);
