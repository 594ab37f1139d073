import type { Proposal } from "../../../../src/contract/agent.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Filled, TextArea } from "../../../console/forms.tsx";
import { Notice, Refused } from "../../../console/parts.tsx";
import type { ThreadForms } from "../fields.tsx";

export interface DecisionFormProps {
  /** The proposal on this page. The form decides only this one. */
  readonly runId: string;
  readonly form: Filled;
  readonly action: string;
}

export const DecisionForm = ({ runId, form, action }: DecisionFormProps) => (
  <>
    <input type="hidden" name="runId" value={runId} />
    <div class="decide">
      <TextArea
        form={form}
        name="note"
        label="Note to the agent"
        size="short"
        hint={`Say here what to change. Otherwise it is optional. Where your note differs from the plan, the agent follows the note. At most ${limits.decisionNote.toLocaleString("en")} characters.`}
      />
    </div>
    <div class="decision-bar actions">
      <Decide decision="approve" kind="primary" action={action}>
        Approve this plan
      </Decide>
      <Decide decision="request_changes" action={action}>
        Ask for changes
      </Decide>
      <Decide decision="reject" kind="danger" action={action}>
        Reject
      </Decide>
    </div>
  </>
);

interface DecideProps {
  readonly decision: string;
  readonly kind?: string;
  readonly action: string;
  readonly children: string;
}

const Decide = ({ decision, kind, action, children }: DecideProps) => (
  <button class={kind} type="submit" name="decision" value={decision} formaction={action} formnovalidate>
    {children}
  </button>
);

export interface UnsentNoteProps {
  readonly form: Filled;
  readonly name?: string;
}

/** A note for a step that can no longer be taken. It stays on the page, so that it can be copied. */
export const UnsentNote = ({ form, name = "note" }: UnsentNoteProps) =>
  form.value(name).trim() === "" ? null : (
    <div class="decide">
      <TextArea
        form={form}
        name={name}
        label="Your note to the agent, not sent"
        size="short"
        hint="Nobody has read it. Copy it, or add it to the thread as an internal note."
      />
    </div>
  );

export interface DecisionRefusedProps {
  readonly forms: ThreadForms;
  readonly proposals: readonly Proposal[];
}

/** Why a decision was refused: a newer proposal has replaced the one that was read, or it is already decided. */
export const DecisionRefused = ({ forms, proposals }: DecisionRefusedProps) => {
  const { refusal } = forms.decision;
  const proposal = proposals.find(({ id }) => id === forms.readProposalId);
  if (!refusal || !proposal || proposal.status === "awaiting_approval") return <Refused refusal={refusal} />;
  if (proposal.replacedBy !== null) {
    return (
      <Notice kind="alert">
        <b>A newer proposal replaced the one you read.</b> Your decision was not recorded. Read the newer one,
        shown here, and decide again.
      </Notice>
    );
  }
  return (
    <Notice kind="alert">
      <b>{settled[proposal.decision ?? "reject"]}</b> Your decision was not recorded, and nothing has changed.
    </Notice>
  );
};

const settled: Readonly<Record<NonNullable<Proposal["decision"]>, string>> = {
  approve: "This proposal was already approved.",
  reject: "This proposal was already rejected.",
  request_changes: "Changes to this proposal were already asked for.",
  replaced: "This proposal was already replaced.",
  recalled: "The approval of this proposal was already recalled.",
  expired: "The approval of this proposal has already expired.",
};
