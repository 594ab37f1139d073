/**
 * Imports of apps. While an import runs, its app has a row in `imports` and no member, so nobody sees it; `alive_at` is when
 * it last stored something. `imported_people` are the people that imported records name: names, not accounts.
 * `slots.imported_tester` is one of them.
 */
export const imports = {
  number: 60,
  name: "imports",
  statements: [
    `CREATE TABLE imports (
      app_id TEXT PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE, alive_at TEXT NOT NULL)`,
    `CREATE TABLE imported_people (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, email TEXT NOT NULL)`,
    `CREATE INDEX imported_people_by_app ON imported_people (app_id, id)`,
    `ALTER TABLE slots ADD COLUMN imported_tester TEXT`,
  ],
};
