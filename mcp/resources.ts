import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { notices } from "../src/words/fence.ts";
import type { Deps } from "./deps.ts";
import { isNotFound } from "./failures.ts";
import { feedbackIdOf, Refusal } from "./refusals.ts";
import { readThread } from "./thread.ts";
import { getDecision } from "./tools/get-decision.ts";
import { listFeedback } from "./tools/list-feedback.ts";
import { loadImage, maxChars, readFeedback } from "./tools/read-feedback.ts";

const uris = {
  proposals: "innkeep://proposals",
  queue: "innkeep://queue",
  feedback: "innkeep://feedback/{id}",
  image: "innkeep://feedback/{id}/images/{index}",
  run: "innkeep://runs/{run_id}",
} as const;

const cacheHint = { ttlMs: 0, cacheScope: "private" } as const;

/**
 * Offers what a client can read without a tool: the queue, threads, their images, decisions, and the proposals of this
 * machine.
 */
export function offerResources(server: McpServer, deps: Deps): void {
  const complete = completions(deps);

  if (deps.keepsRecord) offerRecord(server, deps);
  server.registerResource(
    "queue",
    uris.queue,
    {
      title: "The work that waits",
      description: "Approved plans, requested changes, and open threads; contains text written by the public",
      mimeType: "text/plain",
      cacheHint,
    },
    async (uri, { mcpReq }) => readQueue({ uri, deps, signal: mcpReq.signal }),
  );
  server.registerResource(
    "feedback",
    new ResourceTemplate(uris.feedback, { list: undefined, complete: { id: complete.feedback } }),
    {
      title: "Feedback thread",
      description: "Contains text written by the public",
      mimeType: "text/plain",
      cacheHint,
    },
    async (uri, { id }, { mcpReq }) => readThreadText({ uri, deps, signal: mcpReq.signal }, String(id)),
  );
  server.registerResource(
    "feedback image",
    new ResourceTemplate(uris.image, { list: undefined, complete: { id: complete.feedback } }),
    { title: "Image of a feedback thread", cacheHint },
    async (uri, { id, index }, { mcpReq }) =>
      readImage({ uri, deps, signal: mcpReq.signal }, String(id), Number(index)),
  );
  server.registerResource(
    "run",
    new ResourceTemplate(uris.run, { list: undefined, complete: { run_id: complete.run } }),
    { title: "Decision on a plan", mimeType: "application/json", cacheHint },
    async (uri, { run_id }, { mcpReq }) => readDecision({ uri, deps, signal: mcpReq.signal }, String(run_id)),
  );
}

function offerRecord(server: McpServer, deps: Deps): void {
  server.registerResource(
    "proposals",
    uris.proposals,
    {
      title: "Proposals from this machine",
      description: "What was proposed from here, with the status last seen; newest last",
      mimeType: "application/json",
      cacheHint,
    },
    async (uri) => readProposals(uri, deps),
  );
}

function completions({ proposals }: Pick<Deps, "proposals">) {
  const startingWith = async (field: "feedback_id" | "run_id", typed: string): Promise<string[]> => {
    const values = (await proposals.all()).map((record) => record[field]).toReversed();
    return [...new Set(values)].filter((value) => value.startsWith(typed.toLowerCase()));
  };
  return {
    feedback: (typed: string) => startingWith("feedback_id", typed),
    run: (typed: string) => startingWith("run_id", typed),
  };
}

/** Returns the proposals of this machine. Their summaries are a separate field, because an agent wrote them. */
async function readProposals(uri: URL, deps: Pick<Deps, "proposals">): Promise<ReadResourceResult> {
  const records = await deps.proposals.all();
  const proposals = records.map(({ run_id, feedback_id, status, created_at, decided_at, console_url }) => ({
    run_id,
    feedback_id,
    status,
    created_at,
    decided_at,
    console_url,
  }));
  return jsonOf(uri, {
    proposals,
    agents: { notice: notices.agents, summaries: records.map(({ summary }) => summary) },
    next_step: "Call get_decision for the current status; act only when may_proceed is true.",
  });
}

/** A request for a resource. */
interface ResourceRequest {
  readonly uri: URL;
  readonly deps: Deps;
  readonly signal: AbortSignal;
}

const readThreadText = (request: ResourceRequest, id: string) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const input = { feedback: id, max_chars: maxChars.default, include_images: false };
    const { text } = await readFeedback(input, deps, { signal, progress });
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  });

/** The groups of threads that need work, the most urgent group first. */
const queue = [
  { title: "approved: start_work, then carry out the plan", filters: { waiting: "approved" } },
  { title: "changes were requested: read the note, then propose again", filters: { waiting: "changes" } },
  { title: "open, without a proposal", filters: { waiting: "none", status: "open" } },
] as const;

const readQueue = (request: ResourceRequest) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const lists = queue.map(async ({ title, filters }) => {
      const { text } = await listFeedback({ ...filters, limit: 10 }, deps, { signal });
      return `## ${title}\n${text}`;
    });
    const text = (await Promise.all(lists)).join("\n\n");
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  });

const readDecision = (request: ResourceRequest, runId: string) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const { structured } = await getDecision({ run_id: runId, wait_seconds: 0 }, deps, { signal, progress });
    return jsonOf(uri, structured);
  });

const readImage = (request: ResourceRequest, id: string, index: number) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const thread = await readThread(feedbackIdOf(id), deps, signal);
    const address = thread.images[index];
    const loading = address === undefined ? undefined : await loadImage(address, deps, signal);
    const image = loading?.image;
    if (!image) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType: image.mimeType, blob: image.data }] };
  });

const progress = async () => undefined;

/** Replaces each failure by a description in fixed sentences, in the same way as for tools. */
async function withExplainedFailures(
  request: ResourceRequest,
  read: (request: ResourceRequest) => Promise<ReadResourceResult>,
): Promise<ReadResourceResult> {
  try {
    return await read(request);
  } catch (error) {
    const { uri, deps, signal } = request;
    if (signal.aborted || error instanceof ResourceNotFoundError) throw error;
    if (isNotFound(error)) throw new ResourceNotFoundError(uri.href);
    const code = error instanceof Refusal ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, await deps.explain(error));
  }
}

const jsonOf = (uri: URL, value: object): ReadResourceResult => ({
  contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value, null, 2) }],
});
