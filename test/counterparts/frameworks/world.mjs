import { setTimeout } from "node:timers/promises";
import { signInPerson } from "../person.mjs";

const { INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: apiKey, INNKEEP_AGENT_TOKEN: token } = process.env;
const demo = { email: process.env.DEMO_EMAIL, password: process.env.DEMO_PASSWORD };

export const proposed = { summary: "The kettle is null.", plan: "1. Check the kettle.\n2. Add a test." };

/** A user reports a fault. Returns the id of the feedback. */
export async function reportFault() {
  const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ type: "bug", message: `The kettle leaks: ${crypto.randomUUID()}` }),
  });
  return (await answer.json()).id;
}

/**
 * Waits until the feedback has a proposal, checks the conditions before the decision, and decides on it as a person.
 */
export async function decideOnProposal(feedback, decision, check) {
  const person = await signInPerson({ baseUrl, demo });
  for (;;) {
    const answer = await fetch(`${baseUrl}/api/v1/agent/feedback/${feedback}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { latestProposal } = await answer.json();
    if (!latestProposal) {
      await setTimeout(100);
      continue;
    }
    check();
    return person.decide(latestProposal.id, decision, `${decision} by the test`);
  }
}
