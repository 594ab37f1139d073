import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { addBytes, giveBackBytes, useBytes } from "../../store/requests/byte-uses.ts";

/** Smaller bodies are limited by the number of requests. */
const countedFrom = 8_192;

type Counting = Pick<Deps, "database" | "clock" | "settings">;

interface Counted {
  readonly request: IncomingMessage;
  readonly deps: Counting;
  /** Whether the request was answered before: its bytes are given back when its content proves to be the same. */
  readonly isRepeat?: boolean;
}

/**
 * Counts the bytes of a body against the hourly limit of its key, before any of them is read. A request that was
 * answered before may use twice as many. Gives a function to call when the body has arrived, because a body of unknown
 * length is counted only then. Throws `rate_limited`.
 */
export async function countBytes(
  endpoint: Endpoint,
  keyId: string,
  { request, deps, isRepeat = false }: Counted,
): Promise<() => Promise<void>> {
  const isUnknown = request.headers["content-length"] === undefined;
  const bytes = isUnknown ? 0 : countedBytes(endpoint, request, deps);
  if (!isCounted(endpoint, deps) || (!isUnknown && bytes === 0)) return nothing;
  const use = {
    keyId,
    bytes: Math.max(1, bytes),
    most: deps.settings.feedbackBytesPerHour * (isRepeat ? 2 : 1),
    now: deps.clock.now(),
  };
  const verdict = await deps.database.write((tx) => useBytes(tx, use));
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  if (!isUnknown) return nothing;
  // Bytes that came with the head and are not read yet belong to the body.
  const before = request.socket.bytesRead - request.readableLength;
  return async () => {
    const came = { keyId, bytes: Math.max(0, request.socket.bytesRead - before), now: deps.clock.now() };
    await deps.database.write((tx) => addBytes(tx, came));
  };
}

const nothing = async () => {};

/** Gives back the bytes that were counted for a request that was a repeat, or that got no turn. */
export async function uncountBytes(
  endpoint: Endpoint,
  keyId: string,
  { request, deps }: Counted,
): Promise<void> {
  const bytes = countedBytes(endpoint, request, deps);
  if (bytes > 0) await deps.database.write((tx) => giveBackBytes(tx, keyId, bytes));
}

const isCounted = ({ countsBytes }: Endpoint, { settings }: Counting): boolean =>
  countsBytes === true && settings.rateLimited && Number.isFinite(settings.feedbackBytesPerHour);

function countedBytes(endpoint: Endpoint, { headers }: IncomingMessage, deps: Counting): number {
  const bytes = Number(headers["content-length"] ?? 0);
  return isCounted(endpoint, deps) && bytes >= countedFrom && bytes <= (endpoint.upload?.bodyBytes ?? 0)
    ? bytes
    : 0;
}
