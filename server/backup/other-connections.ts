import type { Reader } from "../database/database.ts";

/** How many connections other processes have to this PostgreSQL database. 0 on SQLite. */
export async function countOtherConnections(reader: Reader): Promise<number> {
  if (reader.engine === "sqlite") return 0;
  const row = await reader.get<{ count: number }>(
    `SELECT CAST(count(*) AS integer) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'
       AND application_name <> current_setting('application_name')`,
  );
  return row?.count ?? 0;
}
