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
export async function readProposals(uri: URL, deps: Deps): Promise<ReadResourceResult> {
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

export const readThreadText = (uri: URL, id: string, deps: Deps, signal: AbortSignal) =>
  told(uri, deps, signal, async () => {
    const input = { feedback: id, max_chars: maxChars.default, include_images: false };
    const { text } = await readFeedback(input, deps, { signal, progress });
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
  });

export const readDecision = (uri: URL, runId: string, deps: Deps, signal: AbortSignal) =>
  told(uri, deps, signal, async () => {
    const { structured } = await getDecision({ run_id: runId, wait_seconds: 0 }, deps, { signal, progress });
    return jsonOf(uri, structured);
  });

export const readImage = (uri: URL, id: string, index: number, deps: Deps, signal: AbortSignal) =>
  told(uri, deps, signal, async () => {
    const thread = await readThread(feedbackIdOf(id), deps, signal);
    const address = thread.images[index];
    const loading = address === undefined ? undefined : await loadImage(address, deps.baseUrl, signal);
    const image = loading?.image;
    if (!image) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType: image.mimeType, blob: image.data }] };
  });

const progress = async () => undefined;

/** Failures in our own words, as for tools. */
async function told(
  uri: URL,
  deps: Deps,
  signal: AbortSignal,
  read: () => Promise<ReadResourceResult>,
): Promise<ReadResourceResult> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || error instanceof ResourceNotFoundError) throw error;
    if (isNotFound(error)) throw new ResourceNotFoundError(uri.href);
    const code = error instanceof Refusal ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, await deps.explain(error));
  }
}

const jsonOf = (uri: URL, value: object): ReadResourceResult => ({
  contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value, null, 2) }],
});
