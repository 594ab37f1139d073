import { z } from "zod";

/** Where the tools of Innkeep are, and the token that opens them. */
export const innkeep = {
  url: `${process.env.INNKEEP_BASE_URL}/mcp`,
  headers: { authorization: `Bearer ${process.env.INNKEEP_AGENT_TOKEN}` },
};

/** The messages for an agent. */
export const taskOf = (feedback) =>
  `Read the feedback ${feedback}, plan a fix, and call fix with it. If that is refused, do nothing else.`;
export const whatFixDoes = "Carries out a plan after a person has approved it.";
export const Plan = z.object({ summary: z.string(), plan: z.string() });

/** Proposes a plan and gives what a person decided. `call` calls a tool of Innkeep and gives its structured answer. */
export async function decisionOn(call, { feedback, summary, plan }) {
  const { run_id } = await call("propose_plan", { feedback, summary, plan });
  return waitForDecision(call, run_id);
}

/** Waits until a person has decided, for days if need be. Each call waits in the server, so the loop is not busy. */
export async function waitForDecision(call, run_id) {
  for (;;) {
    const decision = await call("get_decision", { run_id, wait_seconds: 45 });
    if (decision.status !== "awaiting_approval") return decision;
  }
}
