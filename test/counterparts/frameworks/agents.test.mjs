import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from "@openai/agents/testing";
import { MockLanguageModelV4 } from "ai/test";
import { workOn as workWithAiSdk } from "../ai-sdk.js";
import { waitForDecision } from "../decision.js";
import { createFixer, resumeWith } from "../langgraph.js";
import { workOn as workWithOpenAi } from "../openai-agents.js";
import { decideOnProposal, proposed, reportFault } from "./world.mjs";

/** A model of the AI SDK that reads the feedback, calls `fix`, and repeats the answer of the tool at the end. */
function aiSdkModel(feedback) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const calls = [
    ["read_feedback", { feedback }],
    ["fix", proposed],
  ];
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const [next] = calls.splice(0, 1);
      const content = next
        ? [{ type: "tool-call", toolCallId: next[0], toolName: next[0], input: JSON.stringify(next[1]) }]
        : [{ type: "text", text: JSON.stringify(prompt.at(-1)) }];
      const finishReason = { unified: next ? "tool-calls" : "stop", raw: undefined };
      return { content, finishReason, usage, warnings: [] };
    },
  });
}

const openAiModel = (feedback) =>
  new ScriptedModel([
    [functionCall("read_feedback", { feedback }, { callId: "1" })],
    [functionCall("fix", proposed, { callId: "2" })],
    modelResponder(({ request }) => [assistantMessage(JSON.stringify(request.input.at(-1)))]),
  ]);

/** Runs a graph up to its interrupt, waits for the decision, and runs it to its end. */
async function workWithLangGraph(feedback, { model, carryOut }) {
  const { graph, call, close } = await createFixer({ model, carryOut });
  const config = { configurable: { thread_id: feedback } };
  try {
    const {
      __interrupt__: [{ value: run }],
    } = await graph.invoke({ feedback }, config);
    const decision = await waitForDecision(call, run.run_id);
    return (await graph.invoke(resumeWith(decision), config)).outcome;
  } finally {
    await close();
  }
}

const langGraphModel = () => new FakeListChatModel({ responses: [proposed.plan] });

const frameworks = [
  ["the OpenAI Agents SDK", workWithOpenAi, openAiModel],
  ["the AI SDK", workWithAiSdk, aiSdkModel],
  ["LangGraph", workWithLangGraph, langGraphModel],
];

for (const [name, workOn, makeModel] of frameworks)
  describe(name, { timeout: 120_000 }, () => {
    const work = async (decision) => {
      const feedback = await reportFault();
      const done = [];
      const carryOut = async ({ plan }) => {
        done.push(plan);
        return "It is fixed.";
      };
      const answer = workOn(feedback, { model: makeModel(feedback), carryOut });
      await Promise.race([answer, decideOnProposal(feedback, decision, () => assert.deepEqual(done, []))]);
      return { done, answer: await answer };
    };

    it("carries out the plan that a person has approved", async () => {
      const { done, answer } = await work("approve");
      assert.deepEqual(done, [proposed.plan]);
      assert.match(answer, /It is fixed\./);
    });

    it("does nothing when a person rejects the plan, and tells the model to stop", async () => {
      const { done, answer } = await work("reject");
      assert.deepEqual(done, []);
      assert.match(answer, /Stop\./);
    });
  });
