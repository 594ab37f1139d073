/**
 * The members of apps and their roles. Who owned an app until now is a member with the role owner. The audit of an app is
 * read by its owners, for the acts of all people; that of a deleted app by those who were its owners. Answers that are kept for repeats
 * name their app, because a person who is no longer a member must not get them.
 */
export const members = {
  number: 27,
  name: "members",
  statements: [
    `CREATE TABLE app_members (
      app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      role TEXT NOT NULL, created_at TEXT NOT NULL,
      PRIMARY KEY (app_id, user_id))`,
    `CREATE INDEX app_members_by_user ON app_members (user_id, app_id, role)`,
    `INSERT INTO app_members (app_id, user_id, role, created_at)
       SELECT id, owner_id, 'owner', created_at FROM apps`,
    `CREATE TABLE former_apps (
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, app_id TEXT NOT NULL,
      PRIMARY KEY (user_id, app_id))`,
    `INSERT INTO former_apps (user_id, app_id)
       SELECT DISTINCT a.owner_id, a.app_id FROM audit a JOIN users u ON u.id = a.owner_id
       WHERE a.app_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM apps WHERE id = a.app_id)`,
    `DROP INDEX audit_by_owner`,
    `DROP INDEX audit_by_action`,
    `DROP INDEX audit_by_app`,
    `CREATE INDEX audit_in_order ON audit (coalesce(app_id, owner_id), at, id)`,
    `CREATE INDEX audit_by_action ON audit (coalesce(app_id, owner_id), action, at, id)`,
    `ALTER TABLE idempotency ADD COLUMN app_id TEXT`,
  ],
};
