import { teamFence } from "../src/words/fence.ts";
import type { ApprovedPlan } from "./decision.ts";

/** The parts of an answer that a person has decided. */
interface Decided {
  readonly decision_note: string | null;
  readonly approved_plan: ApprovedPlan | null;
}

/** An answer with a decision as text: a line of JSON, then the note and the approved text, unchanged. */
export function decisionText(nonce: string, { approved_plan, decision_note, ...rest }: Decided): string {
  const sections = [
    ...(decision_note ? [{ heading: "decision_note", text: decision_note }] : []),
    ...(approved_plan
      ? [
          { heading: "summary", text: approved_plan.summary },
          { heading: `plan, sha256 ${approved_plan.sha256}`, text: approved_plan.plan },
        ]
      : []),
  ];
  const head = JSON.stringify(rest);
  return sections.length === 0 ? head : `${head}\n${teamFence(nonce, "what a person decided", sections)}`;
}
