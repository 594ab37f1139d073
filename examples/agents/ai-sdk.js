import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, isStepCount, tool } from "ai";
import { decisionOn, innkeep, Plan, taskOf, whatFixDoes } from "./decision.js";

/** The agent may read. Its tool `fix` runs only after a person has approved the plan in the console of Innkeep. */
export async function workOn(feedback, { model, carryOut }) {
  const client = await createMCPClient({ transport: { type: "http", ...innkeep } });
  const offered = await client.tools();
  const call = async (name, args) => {
    const answer = await offered[name].execute(args, { toolCallId: name, messages: [] });
    if (answer.isError) throw new Error(answer.content[0].text);
    return answer.structuredContent;
  };
  const approved = new Map();
  const execute = ({ plan }) => carryOut(approved.get(plan));
  const fix = tool({ description: whatFixDoes, inputSchema: Plan, execute });
  const askPerson = async (proposed) => {
    const { may_proceed, approved_plan, next_step } = await decisionOn(call, { feedback, ...proposed });
    approved.set(proposed.plan, approved_plan);
    return may_proceed ? "approved" : { type: "denied", reason: next_step };
  };
  const tools = { read_feedback: offered.read_feedback, fix };
  const options = { model, tools, toolApproval: { fix: askPerson }, stopWhen: isStepCount(9) };
  const result = await generateText({ ...options, prompt: taskOf(feedback) }).finally(() => client.close());
  return result.text;
}
