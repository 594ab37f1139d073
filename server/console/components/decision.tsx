import type { Proposal } from "../../../src/contract/agent.ts";
import { limits } from "../../../src/contract/limits.ts";
import { filledWith } from "../filled.ts";
import type { ThreadForms } from "../pages/thread.tsx";
import { type Filled, TextArea } from "./field.tsx";
import { Notice, Refused } from "./notice.tsx";
import { Once } from "./once.tsx";

export interface DecisionFormProps {
  /** The run that this page shows: only it can be decided here. */
  readonly runId: string;
  readonly form: Filled | undefined;
  readonly action: string;
}

export const DecisionForm = ({ runId, form = filledWith(), action }: DecisionFormProps) => (
  <form class="decide" method="post" action={action} data-guards>
    <Once />
    <input type="hidden" name="runId" value={runId} />
    <TextArea
      form={form}
      name="note"
      label="Note to the agent"
      size="short"
      hint={`Optional. Where your note differs from the plan, the agent follows the note. At most ${limits.decisionNote.toLocaleString("en")} characters.`}
    />
    <div class="actions">
      <button class="primary" type="submit" name="decision" value="approve">
        Approve this plan
      </button>
      <button class="danger" type="submit" name="decision" value="reject">
        Reject
      </button>
    </div>
  </form>
);

export interface DecisionRefusedProps {
  readonly forms: ThreadForms;
  readonly proposals: readonly Proposal[];
}

/** Why a decision did not count: a newer proposal took the place of the one that was read, or it is decided already. */
export const DecisionRefused = ({ forms: { decision, decidedRunId }, proposals }: DecisionRefusedProps) => {
  const refusal = decision?.refusal;
  const run = proposals.find(({ id }) => id === decidedRunId);
  if (!refusal || !run || run.status === "awaiting_approval") return <Refused refusal={refusal} />;
  if (run.replacedBy !== null) {
    return (
      <Notice kind="alert">
        <b>A newer proposal replaced the one you read.</b> Your decision was not taken. Read the newer one,
        shown here, and decide again.
      </Notice>
    );
  }
  return (
    <Notice kind="alert">
      <b>This proposal was {run.status} already.</b> Your decision was not taken, and nothing has changed.
    </Notice>
  );
};
