import type { Engine } from "../../database.ts";

/** An address in lower case. PostgreSQL would else use the language of the database. */
export const loweredAddress: Record<Engine, (column: string) => string> = {
  sqlite: (column) => `lower(${column})`,
  postgres: (column) => `lower(${column} COLLATE "C")`,
};

const indexesOn = (engine: Engine) => {
  const lowered = loweredAddress[engine];
  return [
    `CREATE INDEX feedback_by_sender ON feedback ((${lowered("sender_email")}), app_id, id)
     WHERE sender_email IS NOT NULL`,
    `CREATE INDEX messages_by_sender ON messages ((${lowered("sender_email")}), feedback_id, id)
     WHERE sender_email IS NOT NULL`,
    `CREATE INDEX messages_by_foreign_sender ON messages ((${lowered("foreign_from")}), feedback_id, id)
     WHERE foreign_from IS NOT NULL`,
  ];
};

/** What a person sent is found by address without reading the reports of all others. Reports without an address are in no index. */
export const addressesOfSenders = {
  number: 91,
  name: "addresses-of-senders",
  statements: { sqlite: indexesOn("sqlite"), postgres: indexesOn("postgres") },
};
