import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { isNotFound } from "../api/not-found.ts";
import type { Deps } from "../deps.ts";
import { loadImage } from "../feedback/images.ts";
import { readThread } from "../feedback/read-thread.ts";
import { Refusal } from "../text/refusal.ts";
import { getDecision } from "../tools/get-decision/run.ts";
import { feedbackIdOf } from "../tools/ids.ts";
import { maxChars } from "../tools/read-feedback/definition.ts";
import { readFeedback } from "../tools/read-feedback/run.ts";

/** The proposals of this machine. The summaries are the agent's; no text of strangers is in them. */
export async function readProposals(uri: URL, deps: Pick<Deps, "proposals">): Promise<ReadResourceResult> {
  const records = await deps.proposals.all();
  const proposals = records.map(
    ({ run_id, feedback_id, summary, status, created_at, decided_at, console_url }) => ({
      run_id,
      feedback_id,
      summary,
      status,
      created_at,
      decided_at,
      console_url,
    }),
  );
  return jsonOf(uri, {
    proposals,
    next_step: "Call get_decision for the present status; act only when may_proceed is true.",
  });
}

/** A request for a resource. */
export interface ResourceRequest {
  readonly uri: URL;
  readonly deps: Deps;
  readonly signal: AbortSignal;
}

export const readThreadText = (request: ResourceRequest, id: string) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const input = { feedback: id, max_chars: maxChars.default, include_images: false };
    const { text } = await readFeedback(input, deps, { signal, progress });
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  });

export const readDecision = (request: ResourceRequest, runId: string) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const { structured } = await getDecision({ run_id: runId, wait_seconds: 0 }, deps, { signal, progress });
    return jsonOf(uri, structured);
  });

export const readImage = (request: ResourceRequest, id: string, index: number) =>
  withExplainedFailures(request, async ({ uri, deps, signal }) => {
    const thread = await readThread(feedbackIdOf(id), deps, signal);
    const address = thread.images[index];
    const loading = address === undefined ? undefined : await loadImage(address, deps.baseUrl, signal);
    const image = loading?.image;
    if (!image) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType: image.mimeType, blob: image.data }] };
  });

const progress = async () => undefined;

/** Failures in our own words, as for tools. */
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
