import type { Transaction } from "../../database/database.ts";
import type { ProposalRow } from "./store.ts";

/** An agent that waits in this process for the decision on a proposal. */
export interface WaitingAgent {
  readonly tokenId: string;
  /**
   * Whether the agent would read a decision immediately: its connection is open, and there was no signal since it last
   * read the proposal.
   */
  readonly isResting: () => boolean;
}

/**
 * The agents that wait for decisions. When a person approves, one of these agents reads the approval immediately. (rule
 * A22)
 */
export interface WaitingAgents {
  /** Adds a waiting agent. Returns a function that removes it. */
  add(runId: string, agent: WaitingAgent): () => void;
  /** Returns the token of an agent that would read the decision immediately; null if there is none. */
  readerOf(runId: string): string | null;
  /** Gives the stored proposal to the waiting agents after the transaction has committed. */
  handOver(tx: Pick<Transaction, "engine" | "signal">, run: ProposalRow): void;
  /** Returns the proposal whose transaction has committed, if this topic is its signal. */
  handedOver(topic: string): ProposalRow | undefined;
}

interface AwaitedProposal {
  readonly agents: Set<WaitingAgent>;
  /** The proposal that a transaction has stored. Agents read it only after the signal of that transaction. */
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
      // Does nothing on PostgreSQL, because there the signal would go to all servers.
      if (!proposal || tx.engine === "postgres") return;
      proposal.stored = run;
      tx.signal(handing + run.id);
    },
    handedOver(topic) {
      if (!topic.startsWith(handing)) return undefined;
      return awaited.get(topic.slice(handing.length))?.stored;
    },
  };
}

const handing = "decided:";
