const columns = [
  `ALTER TABLE sessions ADD COLUMN id TEXT`,
  `ALTER TABLE sessions ADD COLUMN browser TEXT`,
  `ALTER TABLE sessions ADD COLUMN last_used_at TEXT`,
];
const index = `CREATE UNIQUE INDEX sessions_by_id ON sessions (id)`;

/** What a person sees of a console session: an id, the browser in words, and the hour of its last use. */
export const sessionsOfPeople = {
  number: 30,
  name: "sessions-of-people",
  statements: {
    sqlite: [
      ...columns,
      `UPDATE sessions SET id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' ||
         substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
      index,
    ],
    postgres: [...columns, `UPDATE sessions SET id = CAST(gen_random_uuid() AS TEXT)`, index],
  },
};
