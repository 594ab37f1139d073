import { idAt, instantAt, linkAt, textAt, wordAt } from "../api/loose-json.ts";

/** The checked fields of a proposal. A field that a server leaves out is null. */
export interface ProposalFields {
  readonly status: string;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
  readonly feedbackId: string | null;
  readonly consoleUrl: string | null;
  readonly summary: string | null;
  readonly plan: string | null;
  /** SHA-256 of the plan, as the server says. */
  readonly planSha256: string | null;
}

export const proposalFieldsOf = (run: unknown): ProposalFields => ({
  status: wordAt(run, "status"),
  decisionNote: textAt(run, "decisionNote") || null,
  decidedAt: instantAt(run, "decidedAt"),
  replacedBy: idAt(run, "replacedBy"),
  feedbackId: idAt(run, "feedbackId"),
  consoleUrl: linkAt(run, "consoleUrl"),
  summary: textAt(run, "summary") || null,
  plan: textAt(run, "plan") || null,
  planSha256: idAt(run, "planSha256"),
});
