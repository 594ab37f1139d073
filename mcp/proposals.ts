import { createHash } from "node:crypto";
import * as z from "zod/mini";

/** What this machine remembers of a proposal that it sent. */
export const ProposalRecord = z.object({
  run_id: z.string(),
  feedback_id: z.string(),
  base_url: z.string(),
  summary: z.string(),
  plan: z.string(),
  sha256: z.string(),
  console_url: z.nullable(z.string()),
  created_at: z.string(),
  status: z.string(),
  decision_note: z.nullable(z.string()),
  decided_at: z.nullable(z.string()),
});
export type ProposalRecord = z.output<typeof ProposalRecord>;

/** The proposals that were sent from here, newest last. */
export interface Proposals {
  all(): Promise<ProposalRecord[]>;
  find(runId: string): Promise<ProposalRecord | undefined>;
  /** Adds a proposal, or replaces what is remembered of its run. */
  keep(record: ProposalRecord): Promise<void>;
}

/** Where proposals outlive the process. */
export interface ProposalStore {
  load(): Promise<ProposalRecord[]>;
  save(record: ProposalRecord): Promise<void>;
}

/** Hash (SHA-256, hex) of a plan's UTF-8 bytes. */
export const hashOf = (plan: string): string => createHash("sha256").update(plan).digest("hex");

/** The proposals to one server. A store that fails costs only what a restart would have needed. */
export function createProposals(
  baseUrl: string,
  store: ProposalStore | undefined,
  onFailure: (message: string) => void,
): Proposals {
  const known = new Map<string, ProposalRecord>();

  const all = async (): Promise<ProposalRecord[]> => {
    const kept = await (store?.load() ?? []);
    for (const record of kept) if (isOurs(record, baseUrl)) known.set(record.run_id, record);
    return [...known.values()].sort((a, b) => a.created_at.localeCompare(b.created_at));
  };

  return {
    all,
    find: async (runId) => (await all()).find(({ run_id }) => run_id === runId),
    async keep(record) {
      known.set(record.run_id, record);
      await store
        ?.save(record)
        .catch(() => onFailure("The proposal could not be written to the state folder."));
    },
  };
}

/** Of this server, and still the text that was sent. */
const isOurs = (record: ProposalRecord, baseUrl: string): boolean =>
  record.base_url === baseUrl && record.sha256 === hashOf(record.plan);
