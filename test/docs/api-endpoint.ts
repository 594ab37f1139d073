import * as z from "zod/mini";
import {
  type AttemptLimit,
  type Auth,
  type Endpoint,
  errorsOf,
  isRepeatable,
  rolesFrom,
} from "../../src/contract/endpoint.ts";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { type RateLimitName, rateLimits } from "../../src/contract/limits.ts";
import { fieldTable, operationAt, typeText } from "./api-schemas.ts";
import { jsonBlock, page, spanOf } from "./markdown.ts";

const Content = z.optional(z.record(z.string(), z.object({ schema: z.optional(z.unknown()) })));
const Operation = z.object({
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.string(),
      required: z.boolean(),
      schema: z.unknown(),
    }),
  ),
  requestBody: z.optional(z.object({ content: Content })),
  responses: z.record(z.string(), z.object({ content: Content })),
});

/** The heading of an endpoint, to which the page's list links. */
export const headingOf = ({ method, path }: Endpoint): string =>
  `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

/** Returns the part of the page about one endpoint. */
export function endpointText(endpoint: Endpoint): string {
  const operation = Operation.parse(operationAt(endpoint.method, endpoint.path));
  const body =
    jsonSchemaOf(operation.requestBody) ?? operation.requestBody?.content?.["multipart/form-data"]?.schema;
  const { example = {} } = endpoint;
  return page([
    `### ${headingOf(endpoint)}`,
    `${endpoint.summary}.`,
    [`- Caller: ${callerOf(endpoint)}`, ...traitsOf(endpoint).map((trait) => `- ${trait}`)].join("\n"),
    parameterTable(operation.parameters),
    body === undefined ? "" : `Body: ${typeText(body)}`,
    body === undefined || typeText(body).startsWith("[") ? "" : fieldTable(body),
    example.request === undefined ? "" : jsonBlock(example.request),
    answerText(endpoint, operation),
    example.answer === undefined ? "" : jsonBlock(example.answer),
    `Errors: ${errorsText(endpoint)}`,
  ]).trimEnd();
}

const jsonSchemaOf = (holder: { content?: z.output<typeof Content> } | undefined): unknown =>
  holder?.content?.["application/json"]?.schema;

function parameterTable(parameters: z.output<typeof Operation>["parameters"]): string {
  const own = parameters.filter((parameter) => parameter.in !== "header");
  if (own.length === 0) return "";
  const schema = {
    type: "object",
    properties: Object.fromEntries(own.map((parameter) => [parameter.name, parameter.schema])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
  const inPath = own.filter((parameter) => parameter.in === "path").map(({ name }) => `\`${name}\``);
  const where =
    inPath.length === 0 ? "Query" : `Parameters, ${inPath.join(" and ")} in the path, others in the query`;
  return `${where}:\n\n${fieldTable(schema)}`;
}

function answerText(endpoint: Endpoint, { responses }: z.output<typeof Operation>): string {
  const { status } = endpoint.success;
  const schema = jsonSchemaOf(responses[status]);
  if (schema === undefined) return `Success: ${status}, without a body`;
  const type = typeText(schema);
  const pending = endpoint.pending ? "; 202 with `{}` while nothing is decided" : "";
  const line = `Success: ${status}, ${type}${pending}`;
  return type === "object" ? `${line}\n\n${fieldTable(schema)}` : line;
}

const callers: Record<Auth, string> = {
  none: "anybody",
  appKey: "an app key",
  agentToken: "an agent token",
  deviceToken: "a tester's device token",
  console: "a console session, or a maintainer token",
  session: "a console session: a person in a browser",
};

const callerOf = ({ auth, scope }: Endpoint): string =>
  scope ? `${callers[auth]} with the scope \`${scope}\`` : callers[auth];

/** Further facts about an endpoint, one sentence for each. */
const traitsOf = (endpoint: Endpoint): string[] =>
  [
    endpoint.role &&
      endpoint.role !== "account" &&
      `Role in the app: ${rolesFrom(endpoint.role).join(" or ")}`,
    endpoint.successor && `Deprecated: use \`${endpoint.successor}\``,
    isRepeatable(endpoint) && repeatsText(endpoint),
    endpoint.rateLimit && `Rate limit: ${limitText(endpoint.rateLimit)} for each ${whoseLimit(endpoint)}`,
    endpoint.otherRateLimit && `Reports that join a thread: ${limitText(endpoint.otherRateLimit)} instead`,
    endpoint.attempts && `Attempts: ${endpoint.attempts.map(attemptText).join("; ")}`,
    endpoint.ifMatch && "`If-Match`: the `ETag` of the list that was read; required",
    endpoint.bodyBytes && `The body has at most ${endpoint.bodyBytes / 1_048_576} MiB`,
    endpoint.countsRefusals && "A refused body uses up the rate limit, too",
    endpoint.countsBytes && "The bytes of its bodies are limited by the hour",
    bodyKinds[endpoint.bodyKind ?? "json"],
    endpoint.answersSecret && "The answer holds a secret: no cache may store it",
  ].flatMap((trait) => trait || []);

const bodyKinds = {
  json: undefined,
  upload: "The body is JSON with data URLs, or `multipart/form-data` with the same names",
  form: "The body is `multipart/form-data`",
};

function repeatsText({ repeatableSeconds = 86_400, repeatableBy }: Endpoint): string {
  const by = repeatableBy
    ? `, only with the same ${repeatableBy.map((field) => `\`${field}\``).join(", ")}`
    : "";
  return `\`Idempotency-Key\`: a repeat gets the stored answer for ${repeatableSeconds === 86_400 ? "24 hours" : spanOf(repeatableSeconds)}${by}`;
}

const whoseLimit = ({ rateLimitBy, auth }: Endpoint): string =>
  rateLimitBy ? `\`${rateLimitBy}\`` : callers[auth].replace(/^an? /, "").replace(/ or an? .*/, "");

const attemptText = ({ limit, by }: AttemptLimit): string =>
  `${limitText(limit)} for each ${by.map((whose) => whose.replace(/^body\.(.*)$/, "`$1`")).join(" and ")}`;

const limitText = (name: RateLimitName): string =>
  `${rateLimits[name].limit.toLocaleString("en")} per ${spanOf(rateLimits[name].windowSeconds)}`;

/** The errors that any endpoint may answer are at the top of the page. */
const everywhere: readonly ErrorCode[] = ["internal", "busy"];

function errorsText(endpoint: Endpoint): string {
  const codes = errorsOf(endpoint).filter((code) => !everywhere.includes(code));
  const sorted = codes.toSorted((one, other) => errorCatalogue[one].status - errorCatalogue[other].status);
  return sorted.map((code) => `${errorCatalogue[code].status} \`${code}\``).join(" · ") || "none of its own";
}
