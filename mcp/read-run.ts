import type { Run } from "../src/contract/runs.ts";
import type { Connection } from "./connection.ts";

interface Reading {
  /** How long the server may hold its answer while nobody has decided. */
  readonly holdSeconds: number;
  readonly signal: AbortSignal;
}

/** Reads a proposal. */
export const readRun = (
  connection: Connection,
  runId: string,
  { holdSeconds, signal }: Reading,
): Promise<Run> =>
  connection.call((client) =>
    client.agent.readRun({
      params: { runId },
      query: holdSeconds > 0 ? { wait: String(holdSeconds) } : {},
      signal,
    }),
  );
