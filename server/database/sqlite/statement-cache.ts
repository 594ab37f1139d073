const capacity = 500;

export interface StatementCache<Statement> {
  get(sql: string): Statement;
  drop(sql: string): void;
  clear(): void;
}

/** A cache of prepared statements by their text. Beyond 500 statements the oldest is released. */
export function statementCache<Statement>(
  prepare: (sql: string) => Statement,
  release: (statement: Statement) => void,
): StatementCache<Statement> {
  const statements = new Map<string, Statement>();

  function drop(sql: string): void {
    const statement = statements.get(sql);
    if (statement === undefined) return;
    statements.delete(sql);
    release(statement);
  }

  function add(sql: string): Statement {
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size >= capacity) drop(oldest);
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    get: (sql) => statements.get(sql) ?? add(sql),
    drop,
    clear: () => [...statements.keys()].forEach(drop),
  };
}
