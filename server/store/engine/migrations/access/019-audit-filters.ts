/**
 * Indexes with which the audit is read by app and by action, without reading all entries of an account. The entries for the
 * creation and the deletion of a token or key store its label, because its own row is deleted.
 */
export const auditFilters = {
  number: 19,
  name: "audit-filters",
  statements: [
    `ALTER TABLE audit ADD COLUMN label TEXT`,
    `CREATE INDEX audit_by_action ON audit (owner_id, action, at, id)`,
    `CREATE INDEX audit_by_app ON audit (owner_id, app_id, at, id)`,
    `CREATE INDEX audit_labels ON audit (target) WHERE label IS NOT NULL`,
  ],
};
