import type { ReceivedFile } from "../../src/contract/received-file.ts";

/** A run of the demo's test. */
export interface DemoCycle {
  readonly id: string;
  readonly appId: string;
  /** When each day begins, and last when the last one ends. */
  readonly dayStarts: readonly string[];
  /** What the pictures of proofs hold. */
  readonly picture: ReceivedFile;
}

export const minute = 60_000;
export const hour = 60 * minute;

/** An instant so many milliseconds after another. */
export const later = (at: string | undefined, milliseconds: number): string =>
  new Date(Date.parse(at ?? "") + milliseconds).toISOString();
