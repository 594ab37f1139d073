import type { Engine } from "../database.ts";

/** An address in lower case. PostgreSQL would else use the language of the database. */
export const loweredAddress: Record<Engine, (column: string) => string> = {
  sqlite: (column) => `lower(${column})`,
  postgres: (column) => `lower(${column} COLLATE "C")`,
};

export const beforeToken = ", token ";

/** The text before ", token " of an actor such as "ada@example.org, token 0197…": the person, or `agent`. */
export const personOf: Record<Engine, string> = {
  sqlite: `substr(actor, 1, instr(actor || '${beforeToken}', '${beforeToken}') - 1)`,
  postgres: `substr(actor, 1, strpos(actor || '${beforeToken}', '${beforeToken}') - 1)`,
};

/** The id of the token of an actor; an empty text for a person in a browser. */
export const tokenOf: Record<Engine, string> = {
  sqlite: `substr(actor, instr(actor || '${beforeToken}', '${beforeToken}') + ${beforeToken.length})`,
  postgres: `substr(actor, strpos(actor || '${beforeToken}', '${beforeToken}') + ${beforeToken.length})`,
};

/** The statement for both engines, if they differ in an expression alone. */
export const withEach = <Expression>(
  expressions: Readonly<Record<Engine, Expression>>,
  statement: (expression: Expression) => string,
): Readonly<Record<Engine, string>> => ({
  sqlite: statement(expressions.sqlite),
  postgres: statement(expressions.postgres),
});
