import type { Transaction } from "../../database/database.ts";
import type { ProposalRow } from "./store.ts";

/** An agent that waits in this process for the decision on a proposal. */
export interface WaitingAgent {
  readonly tokenId: string;
  /** Whether it would read the decision now: its connection is open, and it has heard nothing since its last look. */
  readonly isResting: () => boolean;
}

/** The agents that wait for decisions. What a person approves is read by one of them at the same instant. (rule A22) */
export interface WaitingAgents {
  /** Returns the function that forgets the agent. */
  add(runId: string, agent: WaitingAgent): () => void;
  /** The token of an agent that would read the decision now; null if there is none. */
  readerOf(runId: string): string | null;
  /** Hands the proposal as the transaction has stored it to those who wait, once the transaction has committed. */
  handOver(tx: Pick<Transaction, "engine" | "signal">, run: ProposalRow): void;
  /** The proposal whose transaction has committed, if this is the topic that says so. */
  handedOver(topic: string): ProposalRow | undefined;
}

interface Place {
  readonly agents: Set<WaitingAgent>;
  /** What a transaction has stored. Nobody sees it before the signal of that transaction. */
  stored: ProposalRow | undefined;
}

export function createWaitingAgents(): WaitingAgents {
  const places = new Map<string, Place>();
  return {
    add(runId, agent) {
      const place = places.get(runId) ?? { agents: new Set(), stored: undefined };
      places.set(runId, place);
      place.agents.add(agent);
      return () => {
        place.agents.delete(agent);
        if (place.agents.size === 0 && places.get(runId) === place) places.delete(runId);
      };
    },
    readerOf(runId) {
      for (const { tokenId, isResting } of places.get(runId)?.agents ?? []) if (isResting()) return tokenId;
      return null;
    },
    handOver(tx, run) {
      const place = places.get(run.id);
      // On PostgreSQL the signal would go to all servers.
      if (!place || tx.engine === "postgres") return;
      place.stored = run;
      tx.signal(handing + run.id);
    },
    handedOver(topic) {
      if (!topic.startsWith(handing)) return undefined;
      return places.get(topic.slice(handing.length))?.stored;
    },
  };
}

const handing = "decided:";
