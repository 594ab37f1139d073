import { Agent, MCPServerStreamableHttp, run, tool } from "@openai/agents";
import { decisionOn, innkeep, Plan, taskOf, whatFixDoes } from "./decision.js";

/** The agent may read. Its tool `fix` needs an approval, which a person gives in the console of Innkeep. */
export async function workOn(feedback, { model, carryOut }) {
  const { url, headers } = innkeep;
  const toolFilter = { allowedToolNames: ["read_feedback"] };
  const server = new MCPServerStreamableHttp({ url, requestInit: { headers }, toolFilter });
  const call = async (name, args) => {
    const { isError, content, structuredContent } = await server.callToolResult(name, args);
    if (isError) throw new Error(content[0].text);
    return structuredContent;
  };
  const approved = new Map();
  const execute = ({ plan }) => carryOut(approved.get(plan));
  const about = { name: "fix", description: whatFixDoes, parameters: Plan };
  const fix = tool({ ...about, needsApproval: true, execute });
  const agent = new Agent({ name: "Fixer", model, mcpServers: [server], tools: [fix] });
  await server.connect();
  const result = await run(agent, taskOf(feedback));
  for (const asked of result.interruptions) {
    const proposed = Plan.parse(JSON.parse(asked.arguments));
    const decision = await decisionOn(call, { feedback, ...proposed });
    approved.set(proposed.plan, decision.approved_plan);
    if (decision.may_proceed) result.state.approve(asked);
    else result.state.reject(asked, { message: decision.next_step });
  }
  return (await run(agent, result.state).finally(() => server.close())).finalOutput;
}
