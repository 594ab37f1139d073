/** What the console lists of the work of agents: claims at work, failed ones, and proposals that were sent back. */
export const workOfAgents = {
  number: 26,
  name: "work-of-agents",
  statements: [
    `CREATE INDEX run_claims_at_work ON run_claims (claimed_at, id)
     WHERE released_at IS NULL AND outcome_status IS NULL`,
    `CREATE INDEX run_claims_failed ON run_claims (outcome_at, id) WHERE outcome_status = 'failed'`,
    `CREATE INDEX runs_sent_back ON runs (decided_at, id) WHERE decision = 'request_changes'`,
  ],
};
