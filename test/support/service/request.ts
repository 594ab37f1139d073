export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
  /** The text at a path of the body, such as `entries.0.id`; throws if there is none. */
  field(path: string): string;
}

export interface Sending {
  readonly headers?: Record<string, string>;
  /** It is sent as JSON; strings, bytes and forms without changes. */
  readonly body?: unknown;
  /** Closes the connection. */
  readonly signal?: AbortSignal | undefined;
  /** Does not read the body of an answer that stays open and sends events. */
  readonly skipsEvents?: boolean;
}

/** The media type of an answer that sends events. */
export const eventStream = "text/event-stream; charset=utf-8";

/** Sends a request and reads the complete answer. */
export async function request(
  baseUrl: string,
  method: string,
  path: string,
  { headers, body, signal, skipsEvents = false }: Sending = {},
): Promise<Answer> {
  const json = body !== undefined && rawBody(body) === undefined;
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...(json ? { "Content-Type": "application/json" } : {}), ...headers },
    redirect: "manual",
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: rawBody(body) ?? JSON.stringify(body) }),
  });
  const isSkipped = skipsEvents && response.headers.get("content-type") === eventStream;
  if (isSkipped) await response.body?.cancel();
  const text = isSkipped ? "" : await response.text();
  const parsed = parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed,
    field: (path) => fieldOf(parsed, path),
  };
}

function rawBody(body: unknown) {
  if (typeof body === "string" || body instanceof FormData) return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(body: unknown, path: string): string {
  let value = body;
  for (const step of path.split(".")) {
    value =
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([key]) => key === step)?.[1]
        : undefined;
  }
  if (typeof value !== "string") throw new Error(`There is no text at ${path} of ${JSON.stringify(body)}`);
  return value;
}
