import type { Proposal } from "../../../../src/contract/agent.ts";
import { HiddenCount, UserText } from "../../../console/text.tsx";
import { hashOf } from "../../../secrets/secrets.ts";
import { PlanChanges } from "./plan-changes.tsx";

export interface ProposalTextProps {
  readonly proposal: Proposal;
  /** The earlier proposal to compare it with, if there is one. */
  readonly earlier?: Proposal | undefined;
}

/** Summary and plan, exactly as the agent wrote them. */
export const ProposalText = ({ proposal, earlier }: ProposalTextProps) => {
  const { summary, plan } = proposal;
  return (
    <>
      <HiddenCount texts={[summary, plan]} />
      <div>
        <h3>Summary</h3>
        <UserText text={summary} />
      </div>
      {earlier && <PlanChanges earlier={earlier} proposal={proposal} />}
      <div>
        <h3>{earlier ? "The whole plan" : "Plan"}</h3>
        <div class="plan">
          <UserText text={plan} exact />
        </div>
        <Fingerprint plan={plan} />
      </div>
    </>
  );
};

const Fingerprint = ({ plan }: { readonly plan: string }) => {
  const whole = hashOf(plan);
  return (
    <details class="reveal fingerprint">
      <summary title={whole}>
        SHA-256 of the plan <code>{whole.slice(0, 12)}…</code>
      </summary>
      <p>
        <code>{whole}</code>
      </p>
      <p>An agent that shows another one works on another plan.</p>
    </details>
  );
};
