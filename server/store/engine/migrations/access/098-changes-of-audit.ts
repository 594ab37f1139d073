/**
 * What an audited act changed: a JSON list of fields with their values before and after. The index finds the acts about a thread
 * whose words must go with it.
 */
export const changesOfAudit = {
  number: 98,
  name: "changes-of-audit",
  statements: [
    `ALTER TABLE audit ADD COLUMN changes TEXT`,
    `CREATE INDEX audit_changes ON audit (target) WHERE changes IS NOT NULL`,
  ],
};
