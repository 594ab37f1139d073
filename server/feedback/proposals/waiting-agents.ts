import type { Transaction } from "../../database/database.ts";
import { decidedTopics } from "../../database/transaction.ts";
import type { ProposalRow } from "./store.ts";

/** An agent whose request to this process waits for the decision on a proposal. */
export interface WaitingAgent {
  readonly tokenId: string;
  /**
   * Whether a decision would reach the agent immediately. False after a disconnection, and while the server
   * reads the proposal.
   */
  readonly isResting: () => boolean;
}

/** The agents that wait in this process. An approval for a waiting agent counts as read immediately. (rule A22) */
export interface WaitingAgents {
  /** Adds a waiting agent. Returns a function that removes it. */
  add(runId: string, agent: WaitingAgent): () => void;
  /** Returns the token of an agent that would read the decision immediately; null if there is none. */
  readerOf(runId: string): string | null;
  /**
   * Sends a decided proposal to the waiting agents after the transaction has ended. Does nothing on PostgreSQL.
   */
  handOver(tx: Pick<Transaction, "engine" | "signal">, run: ProposalRow): void;
  /** Returns the proposal that `handOver` sends; undefined if no agent waits for it. */
  handedOver(runId: string): ProposalRow | undefined;
}

interface AwaitedProposal {
  readonly agents: Set<WaitingAgent>;
  /** The decided proposal. Agents read it only after the transaction of the decision has ended. */
  stored: ProposalRow | undefined;
}

export function createWaitingAgents(): WaitingAgents {
  const awaited = new Map<string, AwaitedProposal>();
  return {
    add(runId, agent) {
      const proposal = awaited.get(runId) ?? { agents: new Set(), stored: undefined };
      awaited.set(runId, proposal);
      proposal.agents.add(agent);
      return () => {
        proposal.agents.delete(agent);
        if (proposal.agents.size === 0 && awaited.get(runId) === proposal) awaited.delete(runId);
      };
    },
    readerOf(runId) {
      for (const { tokenId, isResting } of awaited.get(runId)?.agents ?? []) if (isResting()) return tokenId;
      return null;
    },
    handOver(tx, run) {
      const proposal = awaited.get(run.id);
      // On PostgreSQL, the signal would go to all servers, but only this process has the proposal.
      if (!proposal || tx.engine === "postgres") return;
      proposal.stored = run;
      tx.signal(decidedTopics + run.id);
    },
    handedOver: (runId) => awaited.get(runId)?.stored,
  };
}
