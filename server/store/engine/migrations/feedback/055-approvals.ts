/**
 * Who approved a proposal, when, and with which note. A recall overwrites `decided_by`, `decided_at` and `decision_note`, an
 * expiry `decided_at`. For approvals that ended before, only the approver of an expired one is known.
 */
export const approvals = {
  number: 55,
  name: "approvals",
  statements: [
    `ALTER TABLE runs ADD COLUMN approved_by TEXT`,
    `ALTER TABLE runs ADD COLUMN approved_at TEXT`,
    `ALTER TABLE runs ADD COLUMN approval_note TEXT`,
    `UPDATE runs SET approved_by = decided_by, approval_note = decision_note,
       approved_at = CASE decision WHEN 'approve' THEN decided_at END
     WHERE decision IN ('approve', 'expired')`,
  ],
};
