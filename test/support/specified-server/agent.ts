import { randomUUID } from "node:crypto";
import {
  fieldsOf,
  guarded,
  json,
  missingTexts,
  notFound,
  type Operations,
  refusal,
  secrets,
  withBearer,
} from "./operation.ts";

export const threadId = "0198c1a2-8a10-7f2b-8d3e-1c2d3e4f5a66";

const thread = {
  app: { id: "0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb", name: "Larder" },
  feedback: {
    id: threadId,
    consoleUrl: `https://console.example/feedback/0198c1a3-4c77-7d54-9ebf-6a7b8c9daebb/${threadId}`,
    ...{ subject: "Settings close", message: "The settings close.", category: "bug", status: "open" },
    ...{ metadata: { build: 240 }, images: ["https://files.example/a.png"], attachments: [] },
    githubIssueUrl: "https://github.com/larder/larder/issues/7",
  },
  messages: [{ direction: "note", body: "Seen on tablets, too.", createdAt: "2026-11-21T09:30:00.000Z" }],
  latestProposal: null,
};

interface Run {
  readonly id: string;
  readonly status: "awaiting_approval" | "approved" | "rejected";
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
}

export interface Runs {
  /** A person decides on the newest proposal. */
  readonly decide: (status: "approved" | "rejected") => void;
}

/** The agent's operations: no waiting for a decision, no list of threads, no claims. */
export function agentOperations(): Runs & { readonly operations: Operations } {
  const runs = new Map<string, Run>();
  const operations = guarded(withBearer(secrets.agentToken), {
    "GET /api/v1/agent/feedback/{id}": ({ params }) =>
      params.id === threadId ? json(200, thread) : notFound,
    "POST /api/v1/agent/feedback/{id}/proposal": (asked) => {
      if (asked.params.id !== threadId) return notFound;
      if (missingTexts(fieldsOf(asked), ["summary", "plan"]).length > 0)
        return refusal(400, "A summary and a plan are required.");
      const run: Run = { id: randomUUID(), status: "awaiting_approval", decisionNote: null, decidedAt: null };
      runs.set(run.id, run);
      return json(201, { runId: run.id, status: run.status, pollUrl: `/api/v1/agent/runs/${run.id}` });
    },
    "GET /api/v1/agent/runs/{runId}": ({ params }) => {
      const run = runs.get(params.runId ?? "");
      return run ? json(200, run) : notFound;
    },
  });
  const decide = (status: "approved" | "rejected") => {
    const newest = [...runs.values()].at(-1);
    if (!newest) throw new Error("There is no proposal.");
    const decidedAt = "2026-11-21T10:00:00.000Z";
    runs.set(newest.id, { ...newest, status, decisionNote: "Also on tablets.", decidedAt });
  };
  return { decide, operations };
}
