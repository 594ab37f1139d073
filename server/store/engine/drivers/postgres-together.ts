import { once } from "node:events";
import pg from "pg";

/** The names of the statements that a connection has prepared. */
const prepared = new WeakMap<pg.PoolClient, Set<string>>();

/**
 * Runs statements in their order, with as few messages as possible, and gives their results. If one fails, none after it is
 * run, and the error is that of the first that failed. Statements that the connection has prepared go out together with the
 * one after them.
 */
export async function runTogether(
  client: pg.PoolClient,
  statements: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  const results: pg.QueryResult[] = [];
  for (const group of groupsOf(client, statements)) {
    results.push(...(await runGroup(client, group)));
    for (const { name } of group) if (name !== undefined) namesOf(client).add(name);
  }
  return results;
}

function namesOf(client: pg.PoolClient): Set<string> {
  const names = prepared.get(client) ?? new Set();
  prepared.set(client, names);
  return names;
}

/** Only the last statement of a group may be new to the connection: the library expects one answer that prepares a statement. */
function groupsOf(client: pg.PoolClient, statements: readonly pg.QueryConfig[]): pg.QueryConfig[][] {
  const groups: pg.QueryConfig[][] = [];
  let isOpen = false;
  for (const statement of statements) {
    if (isOpen && isExtended(statement)) groups.at(-1)?.push(statement);
    else groups.push([statement]);
    isOpen = statement.name !== undefined && namesOf(client).has(statement.name);
  }
  return groups;
}

/**
 * Whether the library sends a statement in the extended protocol. PostgreSQL would never answer another one after a failure
 * in its group.
 */
const isExtended = ({ name, values = [] }: pg.QueryConfig): boolean =>
  name !== undefined || values.length > 0;

async function runGroup(client: pg.PoolClient, group: readonly pg.QueryConfig[]): Promise<pg.QueryResult[]> {
  const [last, ...before] = group.toReversed();
  if (last === undefined) return [];
  if (before.length === 0) return [await client.query(last)];
  const query = new pg.Query(last);
  const submit = query.submit.bind(query);
  query.submit = (connection) => {
    connection.stream.cork();
    for (const statement of before.toReversed()) announce(connection, statement);
    const refused = submit(connection);
    connection.stream.uncork();
    return refused;
  };
  const ended = once(query, "end");
  client.query(query);
  return (await ended).flat();
}

/**
 * Sends a prepared statement without the message after which PostgreSQL answers. So if it fails, PostgreSQL skips all
 * statements of the group that follow.
 */
function announce(connection: pg.Connection, { name, values = [] }: pg.QueryConfig): void {
  connection.bind({ statement: name, values: values.map(asText) }, true);
  connection.describe({ type: "P", name: "" }, true);
  connection.execute({}, true);
}

const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);
