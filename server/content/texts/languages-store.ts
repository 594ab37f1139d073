import type { Engine } from "../../database/database.ts";

/** Translations with more bytes than this are not read for a list of names, so that the list is read fast. */
const mostBytes = 65_536;

/**
 * Returns SQL for one field of all translations of a row, as a JSON list. The value is null if there are no
 * translations, or if they are very long.
 */
export const fieldOfTranslations = (engine: Engine, row: string, field: string): string => {
  const stored = `CASE WHEN octet_length(${row}.translations) <= ${mostBytes} THEN ${row}.translations END`;
  if (engine === "sqlite")
    return `(SELECT json_group_array(t.value ->> '${field}') FROM json_each(${stored}) AS t)`;
  return `(SELECT CAST(json_agg(t.value ->> '${field}') AS text) FROM json_each(CAST(${stored} AS json)) AS t)`;
};
