import type { Engine } from "../../database.ts";

const between = ", token ";

/** The text before ", token " of an actor such as "ada@example.org, token 0197…": the person, or `agent`. */
export const personOf: Record<Engine, string> = {
  sqlite: `substr(actor, 1, instr(actor || '${between}', '${between}') - 1)`,
  postgres: `substr(actor, 1, strpos(actor || '${between}', '${between}') - 1)`,
};

/** The id of the token of an actor; an empty text for a person in a browser. */
export const tokenOf: Record<Engine, string> = {
  sqlite: `substr(actor, instr(actor || '${between}', '${between}') + ${between.length})`,
  postgres: `substr(actor, strpos(actor || '${between}', '${between}') + ${between.length})`,
};

const indexesOn = (engine: Engine) => [
  `CREATE INDEX audit_by_person ON audit (coalesce(app_id, owner_id), (${personOf[engine]}), at, id)`,
  `CREATE INDEX audit_by_token ON audit (coalesce(app_id, owner_id), (${tokenOf[engine]}), at, id)
   WHERE actor LIKE '%${between}%'`,
];

/** Indexes with which the audit of one person, or of one token, is read without reading the entries of all others. */
export const auditByActor = {
  number: 65,
  name: "audit-by-actor",
  statements: { sqlite: indexesOn("sqlite"), postgres: indexesOn("postgres") },
};
