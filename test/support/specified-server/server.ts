import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../network/recording-server.ts";
import { agentOperations, type Runs } from "./agent.ts";
import { changelogOperations } from "./changelog.ts";
import { type Faq, faqOperations } from "./faqs.ts";
import { feedbackOperations } from "./feedback.ts";
import { type Answer, type Asked, notFound, type Operations, refusal } from "./operation.ts";
import { type SignIn, signInOperations } from "./sign-in.ts";
import { testSessionOperations } from "./test-sessions.ts";
import { testerOperations } from "./tester.ts";

export interface SpecifiedServer extends SignIn, Runs {
  readonly baseUrl: string;
  /** The names of all operations. */
  readonly operations: readonly string[];
  /** The requested operations, in this order. For any other request, its method and path. */
  readonly asked: string[];
  readonly feedback: readonly Record<string, unknown>[];
  readonly faqs: Map<string, Faq>;
  /** Ids of FAQ entries that cannot be changed. */
  readonly brokenFaqs: Set<string>;
}

export interface SpecifiedServerOptions {
  /** The body if the specification shows none. Default: an empty object. */
  readonly unshown?: unknown;
}

/**
 * A server that has exactly the operations and fields of the specification. Anything else is refused: another path with
 * 404, another method with 405. It has no Idempotency-Key outside closed testing, no ETag and no request id.
 */
export async function startSpecifiedServer(options: SpecifiedServerOptions = {}): Promise<SpecifiedServer> {
  const feedback: Record<string, unknown>[] = [];
  const faqs = new Map<string, Faq>();
  const brokenFaqs = new Set<string>();
  const asked: string[] = [];
  const { approve, operations: signIn } = signInOperations();
  const { decide, operations: agent } = agentOperations();
  const operations: Operations = {
    ...feedbackOperations(feedback),
    ...faqOperations({ entries: faqs, broken: brokenFaqs }),
    ...changelogOperations,
    ...testSessionOperations({ counted: false }),
    ...signIn,
    ...testerOperations(() => options.unshown ?? {}),
    ...agent,
  };
  const repeats = new Map<string, Answer>();
  const baseUrl = await listen(async (request, response) => {
    const found = find(operations, request);
    asked.push(found?.name ?? `${request.method} ${request.url}`);
    const { answer, replayed } = await answerOf({ operations, repeats }, request, found);
    const { status, body, mediaType = "application/json" } = answer;
    response.writeHead(status, {
      "content-type": mediaType,
      ...(replayed && { "idempotent-replay": "true" }),
    });
    response.end(mediaType === "application/json" ? JSON.stringify(body) : String(body));
  });
  return { baseUrl, operations: Object.keys(operations), asked, feedback, faqs, brokenFaqs, approve, decide };
}

interface Found {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

function find(operations: Operations, { method, url = "" }: IncomingMessage): Found | undefined {
  const { pathname, searchParams: query } = new URL(url, "http://here");
  for (const name of Object.keys(operations)) {
    const groups = matched(name, `${method} ${pathname}`);
    if (groups) return { name, params: groups, query };
  }
  return undefined;
}

const matched = (name: string, line: string): Record<string, string> | undefined => {
  const found = new RegExp(`^${name.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(line);
  return found ? { ...found.groups } : undefined;
};

interface Server {
  readonly operations: Operations;
  readonly repeats: Map<string, Answer>;
}

async function answerOf(
  { operations, repeats }: Server,
  request: IncomingMessage,
  found: Found | undefined,
): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
  const body = await buffer(request);
  const run = operations[found?.name ?? ""];
  if (!found || !run) return { answer: refusedAs(operations, request), replayed: false };
  const { headers } = request;
  const key = headers["idempotency-key"];
  const repeat = isKeyed(found.name) && key !== undefined ? `${found.name} ${key}` : undefined;
  const stored = repeats.get(repeat ?? "");
  if (stored) return { answer: stored, replayed: true };
  const asked: Asked = { params: found.params, query: found.query, headers, body };
  const answer = await run(asked);
  if (repeat && answer.status < 300) repeats.set(repeat, answer);
  return { answer, replayed: false };
}

/** Only the mutations of closed testing have the Idempotency-Key. */
const isKeyed = (name: string): boolean => name.startsWith("POST /api/v1/testing/");

function refusedAs(operations: Operations, { url = "" }: IncomingMessage): Answer {
  const { pathname } = new URL(url, "http://here");
  const known = Object.keys(operations).some((name) =>
    matched(name.replace(/^\w+/, "ANY"), `ANY ${pathname}`),
  );
  return known ? refusal(405, "This method is not allowed.") : notFound;
}
