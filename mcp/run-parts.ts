import { idAt, instantAt, textAt, wordAt } from "./loose-json.ts";

/** A run as far as it can be relied on. */
export interface RunParts {
  readonly status: string;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
}

export const runPartsOf = (run: unknown): RunParts => ({
  status: wordAt(run, "status"),
  decisionNote: textAt(run, "decisionNote") || null,
  decidedAt: instantAt(run, "decidedAt"),
  replacedBy: idAt(run, "replacedBy"),
});
