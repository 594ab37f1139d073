import * as z from "zod/mini";
import * as agent from "../contract/agent.ts";
import * as apps from "../contract/apps.ts";
import * as audit from "../contract/audit.ts";
import * as changelog from "../contract/changelog.ts";
import * as session from "../contract/console-session.ts";
import * as correspondence from "../contract/correspondence.ts";
import * as credentials from "../contract/credentials.ts";
import * as cycles from "../contract/cycles.ts";
import {
  type Auth,
  type Endpoint,
  errorsOf,
  type Group,
  isMutation,
  isRepeatable,
  type Role,
} from "../contract/endpoint.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import * as consoleFaqs from "../contract/faqs.ts";
import * as feedback from "../contract/feedback.ts";
import { dataUrlPattern, filePart } from "../contract/fields.ts";
import { type Contract, contract } from "../contract/index.ts";
import { limits } from "../contract/limits.ts";
import * as runs from "../contract/runs.ts";
import * as signIn from "../contract/sign-in.ts";
import { AuthorizeQuery, authorizePath } from "../contract/sign-in.ts";
import * as statistics from "../contract/statistics.ts";
import * as tags from "../contract/tags.ts";
import * as sessions from "../contract/test-sessions.ts";
import * as tester from "../contract/tester.ts";
import * as threads from "../contract/threads.ts";
import * as views from "../contract/views.ts";

const info = {
  title: "Feedback, Support Content and Closed-Testing API",
  version: "1",
  description: [
    "This API is for the feedback of users, the answers to their questions, the release notes and the closed tests of an app. Agents can read feedback and propose what to do about it.",
    'Every error is `{"error": "a sentence", "code": "a_word"}`. A 400 for a malformed request names all its faults in `issues`. A 429 and a 503 say in `Retry-After` how many seconds to wait.',
    "Instants in requests are ISO 8601 with an offset; in answers they are UTC with milliseconds.",
    "Ignore unknown fields of an answer. Accept unknown values where a field has `x-extensible-enum`: later versions may add them.",
  ].join("\n\n"),
  contact: { name: "Innkeep", url: "https://github.com/innkeep/innkeep" },
  license: { name: "MIT", identifier: "MIT" },
};

const tagTexts: Readonly<Record<keyof Contract, string>> = {
  feedback: "Feedback from an app",
  faqs: "The FAQ of an app",
  changelog: "The release notes of an app",
  sessions: "Sessions of testers, reported by the tested app",
  signIn: "The sign-in of a tester's device",
  tester: "What a tester's device reads and sends",
  agent: "What an agent reads, proposes and reports",
  session: "The session of a person in the console",
  accountLinks: "New accounts and forgotten passwords",
  consoleSessions: "The browsers in which a person is signed in",
  preferences: "The preferences of a person for the console",
  secondFactor: "The second factor of a person",
  passkeys: "The passkeys of a person",
  apps: "Apps and their settings",
  appData: "Export and import of an app as a file",
  members: "The members of an app",
  invitations: "Invitations to an app",
  keys: "App keys",
  start: "The first steps with an app",
  tokens: "Tokens of agents and scripts",
  threads: "Threads of feedback",
  search: "Search in all apps",
  readMarks: "Marks of the threads that a person has read",
  views: "Views of the threads of an app",
  bulk: "Changes of many threads at the same time",
  statistics: "The statistics of an app: its reports and the replies",
  live: "Live events about changes, for an open page",
  tags: "Tags of threads",
  savedReplies: "Saved replies",
  blockedSenders: "Blocked senders, and their hidden feedback",
  failures: "Failures that tests report",
  runs: "Decisions on proposals",
  consoleFaqs: "FAQ entries, for people and scripts",
  consoleChangelog: "Release notes, for people and scripts",
  texts: "Previews of the texts of the FAQ and of release notes, and pictures in them",
  listings: "Offers of an app to testers",
  cycles: "Cycles of a closed test",
  slots: "The slots of testers in a test",
  devices: "Devices that are signed in",
  audit: "Who did what",
  people: "The data about one person, and its erasure",
  account: "The account of a person",
  notices: "The notices that a person gets, and how",
  incomingMails: "Mails that programs seem to have written, and original mails",
  webhooks: "Webhooks: addresses that get the events of an app",
  events: "What happened in an app",
};

const securitySchemes = {
  appKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An app key (`sdk_…`)" },
  agentToken: { type: "http", scheme: "bearer", description: "An agent token (`sda_…`)" },
  deviceToken: { type: "http", scheme: "bearer", description: "A tester's device token (`sdt_…`)" },
  maintainerToken: { type: "http", scheme: "bearer", description: "A maintainer token (`sdm_…`)" },
  session: { type: "apiKey", in: "cookie", name: "innkeep", description: "A console session" },
};

/** The credentials that each kind of endpoint accepts. A request needs one of them. */
const security: Record<Auth, readonly Json[]> = {
  none: [],
  appKey: [{ appKey: [] }],
  agentToken: [{ agentToken: [] }],
  deviceToken: [{ deviceToken: [] }],
  console: [{ session: [] }, { maintainerToken: [] }],
  session: [{ session: [] }],
};

const headers = {
  "X-Request-Id": {
    description: "The id of this request, which the server's log also contains.",
    schema: { type: "string" },
  },
  "Idempotent-Replay": {
    description: "`true` if this is the stored answer to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
  ETag: {
    description:
      "Identifies this version of the answer. Send it as `If-None-Match` to get a 304 if the answer has not changed.",
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "How many seconds to wait before you send the request again.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": {
    description: "The kind of credential that this endpoint accepts.",
    schema: { type: "string" },
  },
  Deprecation: {
    description: "Since when this endpoint is deprecated: `@` and seconds since 1970.",
    schema: { type: "string" },
  },
  Link: { description: "The endpoint that replaces this endpoint.", schema: { type: "string" } },
};

type HeaderName = keyof typeof headers;

/** Returns references to headers of answers. */
const headerRefs = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The keyword that replaces `enum` for a list of values that later versions may extend. */
const openListWord = "x-extensible-enum";

const errorSchema = {
  type: "object",
  required: ["error", "code"],
  properties: {
    error: { type: "string", description: "A sentence for a person: what happened and what to do next" },
    code: { type: "string", [openListWord]: Object.keys(errorCatalogue) },
    issues: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
    dayIndex: { type: "integer" },
    runId: { type: ["string", "null"] },
    mayResume: { type: "boolean", description: "The caller may resume the claim with `resume: true`." },
    entryId: { type: "string", format: "uuid" },
    step: {
      type: "string",
      description: "Proves the first step of a sign-in. Send it with the code of the second factor.",
    },
    reasons: { type: "array", items: { type: "string" } },
    requestId: { type: "string" },
  },
};

/**
 * Creates the OpenAPI 3.1 document. `pause` is called before each endpoint, so the server can answer other
 * requests.
 */
export async function createOpenApi(baseUrl: string, pause?: () => Promise<void>): Promise<Json> {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  const groups: [string, Group][] = Object.entries(contract);
  for (const [tag, group] of groups) {
    for (const [name, endpoint] of Object.entries(group)) {
      await pause?.();
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
      const described = operation(tag, name, endpoint, schemas);
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: baseUrl }],
    tags: Object.entries(tagTexts).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...authorizeOperation(schemas) },
    components: { securitySchemes, headers, schemas: { ...schemas.named(), Error: errorSchema } },
  };
}

/** Returns one endpoint as an OpenAPI operation. */
function operation(tag: string, name: string, endpoint: Endpoint, schemas: Schemas): Json {
  const operationId = `${tag}.${name}`;
  const { example = {} }: Endpoint = endpoint;
  return {
    tags: [tag],
    operationId,
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    ...(endpoint.successor ? { deprecated: true } : {}),
    security: security[endpoint.auth],
    parameters: parameters(endpoint, schemas),
    ...(endpoint.body ? { requestBody: requestBody(endpoint, schemas, example.request) } : {}),
    responses: responses(endpoint, schemas, example.answer),
  };
}

/** Returns sentences that say which credential, scope and role a request needs. */
function descriptionOf({ auth, scope, ownToken, role }: Endpoint): string {
  const notes = [
    callers[auth],
    ...(scope
      ? [`Needs the scope \`${scope}\`${ownToken ? ", except if a token revokes itself" : ""}.`]
      : []),
    ...(role && role !== "account" ? [roleNotes[role]] : []),
  ];
  return notes.join(" ");
}

const callers: Readonly<Record<Auth, string>> = {
  none: "Needs no credential.",
  appKey: "Needs an app key.",
  agentToken: "Needs an agent token.",
  deviceToken: "Needs a tester's device token.",
  console: "Needs a console session or a maintainer token.",
  session: "Needs a console session, so only a signed-in browser can send this request.",
};

const roleNotes: Readonly<Record<Role, string>> = {
  owner: "For owners of the app.",
  maintainer: "For maintainers and owners of the app.",
  viewer: "For all members of the app.",
};

function parameters(endpoint: Endpoint, schemas: Schemas): Json[] {
  const inPlace = (place: "path" | "query", shape: Readonly<Record<string, z.core.$ZodType>> = {}) =>
    Object.entries(shape).map(([name, schema]) => ({
      name,
      in: place,
      required: place === "path" || schema._zod.optin !== "optional",
      schema: schemas.of(schema, "input"),
    }));
  return [
    ...inPlace("path", endpoint.params?.shape),
    ...inPlace("query", endpoint.query?.shape),
    ...(isRepeatable(endpoint) ? [idempotencyKey] : []),
    ...(endpoint.ifMatch ? [ifMatch] : []),
    ...(endpoint.readsClock ? [date] : []),
    ...(endpoint.method === "GET" && !isDownload(endpoint) ? [ifNoneMatch] : []),
  ];
}

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `A repeated request with the same key gets the stored answer with the header \`Idempotent-Replay: true\`. The key has 1 to ${limits.idempotencyKey} printable ASCII characters. Double quotes around the key do not change it.`,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: limits.idempotencyKey + 2,
    pattern: `^(?:"[ -~]{1,${limits.idempotencyKey}}"|[ -~]{1,${limits.idempotencyKey}})$`,
  },
};

const ifMatch: Json = {
  name: "If-Match",
  in: "header",
  required: true,
  description:
    "The `ETag` of the list that the client has read, or `*` for any. If the list has changed, the answer is 412.",
  schema: { type: "string" },
};

const date: Json = {
  name: "Date",
  in: "header",
  required: false,
  description:
    "The time by the sender's clock, as in `Sun, 06 Nov 1994 08:49:37 GMT`. If that clock is ahead, the server subtracts the difference from the instants in the body.",
  schema: { type: "string" },
};

const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the answer that the client has stored. If the answer has not changed, the status is 304.",
  schema: { type: "string" },
};

function requestBody({ body, bodyKind }: Endpoint, schemas: Schemas, example: unknown): Json {
  const form = body ? { schema: formSchema(body, schemas) } : {};
  const json = () => ({
    schema: body ? schemas.of(body, "input") : {},
    ...(example === undefined ? {} : { example }),
  });
  return {
    required: body !== undefined && needsFields(body),
    content: {
      ...(bodyKind === "form" ? {} : { "application/json": json() }),
      ...(bodyKind && bodyKind !== "json" ? { "multipart/form-data": form } : {}),
    },
  };
}

const needsFields = (body: z.ZodMiniObject): boolean =>
  Object.values(body.shape).some((schema) => schema._zod.optin !== "optional");

/** The answers of an endpoint by status. `example` is the body of a success. */
const responses = (endpoint: Endpoint, schemas: Schemas, example: unknown): Record<string, Json> => ({
  [endpoint.success.status]: success(endpoint, schemas, example),
  ...(endpoint.pending ? { 202: pending } : {}),
  ...(isMutation(endpoint) || isDownload(endpoint) ? {} : { 304: notModified }),
  ...errors(endpoint),
});

const pending: Json = {
  description: "There is no result yet. Send the request again.",
  headers: headerRefs(["X-Request-Id"]),
  content: { "application/json": { schema: { type: "object", maxProperties: 0 } } },
};

const notModified: Json = {
  description: "The answer has not changed. The client can use its stored answer.",
  headers: headerRefs(["X-Request-Id", "ETag"]),
};

const events: Json = { "text/event-stream": { schema: { type: "string" } } };

function success(endpoint: Endpoint, schemas: Schemas, example: unknown): Json {
  const common = { headers: headerRefs(headersOf(endpoint)) };
  if ("download" in endpoint.success)
    return { description: "The file", ...common, content: fileOf(endpoint.success.download) };
  if ("events" in endpoint.success)
    return { description: "The events, one after the other", ...common, content: events };
  if (!("body" in endpoint.success)) return { description: "Done", ...common };
  const schema = schemas.of(endpoint.success.body, "output");
  const content = { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  return { description: "Success", ...common, content };
}

const fileOf = (mediaTypes: readonly string[]): Json =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: "string", format: "binary" } }]));

const isDownload = ({ success }: Endpoint): boolean => "download" in success || "events" in success;

const headersOf = (endpoint: Endpoint): HeaderName[] => [
  "X-Request-Id",
  ...(isRepeatable(endpoint) ? ["Idempotent-Replay" as const] : []),
  ...(endpoint.method === "GET" && !isDownload(endpoint) ? ["ETag" as const] : []),
  ...(endpoint.successor ? (["Deprecation", "Link"] as const) : []),
];

function errors(endpoint: Endpoint): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(endpoint)) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(entries.map(([status, codes]) => [status, error(status, codes)]));
}

const error = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n"),
  headers: headerRefs(["X-Request-Id", ...(headersOfErrors[status] ?? [])]),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      example: { error: errorCatalogue[codes[0] ?? "internal"].message, code: codes[0] ?? "internal" },
    },
  },
});

const headersOfErrors: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** The browser's step of a sign-in. It is a page that a client opens in the system browser. */
const authorizeOperation = (schemas: Schemas): Record<string, Json> => ({
  [authorizePath]: {
    get: {
      tags: ["signIn"],
      operationId: "signIn.authorize",
      summary: "Open in the system browser: a person signs in and approves the device",
      description:
        "This is a page for the system browser. It asks the person to approve the device. A person who is not signed in must sign in first.",
      security: [],
      parameters: [
        ...Object.entries(AuthorizeQuery.shape).map(([name, schema]) => ({
          name,
          in: "query",
          required: schema._zod.optin !== "optional",
          schema: schemas.of(schema, "input"),
        })),
        { name: "redirect", in: "query", required: true, schema: { type: "string" } },
      ],
      responses: {
        200: { description: "A page: sign in, or approve the device", content: { "text/html": {} } },
        303: {
          description:
            "After the approval: redirects to `redirect` with the query parameter `code`, and with `state` if the request has it",
          headers: { Location: { schema: { type: "string" } } },
        },
        400: {
          description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n"),
          headers: headerRefs(["X-Request-Id"]),
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Error" } },
            "text/html": {},
          },
        },
      },
    },
  },
});

const codes = ["bad_redirect", "bad_request"] as const;

/** A body as multipart/form-data: files are parts with their bytes, objects are JSON text. */
function formSchema(body: z.ZodMiniObject, schemas: Schemas): Json {
  const fields = Object.entries(body.shape).map(([name, schema]) => [
    name,
    partOf(schemas.of(schema, "input")),
  ]);
  const required = Object.entries(body.shape).flatMap(([name, schema]) =>
    schema._zod.optin !== "optional" || needsElement(schemas.of(schema, "input")) ? [name] : [],
  );
  return { type: "object", properties: Object.fromEntries(fields), ...(required.length ? { required } : {}) };
}

/** Whether a form must contain a list. The schema allows a form without the list, but the handler does not. */
const needsElement = ({ minItems }: Json): boolean => minItems === 1;

function partOf(schema: Json): Json {
  const text = JSON.stringify(schema);
  if (text.includes(fileMark)) return { type: "array", items: filePart, maxItems: maxItemsOf(text) };
  if (text.includes('"type":"object"')) return { type: "string", contentMediaType: "application/json" };
  return schema;
}

const fileMark = `"pattern":${JSON.stringify(dataUrlPattern)}`;

const maxItemsOf = (text: string): number | undefined => {
  const found = /"maxItems":(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

/** Whether a schema describes a request or an answer. */
type Direction = "input" | "output";

interface Schemas {
  /** Returns the JSON Schema of a zod schema. For a named schema, the result is a reference. */
  of(schema: z.core.$ZodType, direction: Direction): Json;
  /** The named schemas to which the document refers. */
  named(): Record<string, Json>;
}

/** Converts the schemas of the contract. An exported schema has the same name in the document as in its module. */
function createSchemas(): Schemas {
  const used = new Map<string, Json>();

  function reference(name: string, schema: z.core.$ZodType, direction: Direction): Json {
    const converted = convert(schema, direction);
    const known = used.get(name);
    // A schema can differ between requests and answers. The second form gets a separate name.
    const free = known === undefined || JSON.stringify(known) === JSON.stringify(converted);
    const unique = free ? name : `${name}Input`;
    used.set(unique, converted);
    return { $ref: `#/components/schemas/${unique}` };
  }

  function convert(schema: z.core.$ZodType, direction: Direction): Json {
    const { $schema, ...rest } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: "any",
      reused: "inline",
      override: ({ zodSchema, jsonSchema }) => {
        if (isOpenList(zodSchema, jsonSchema, direction)) return openList(jsonSchema);
        const name = zodSchema === schema ? undefined : names.get(zodSchema);
        if (name === undefined) return open(jsonSchema);
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, reference(name, zodSchema, direction));
      },
    });
    return rest;
  }

  return {
    of(schema, direction) {
      const name = names.get(schema);
      return name === undefined ? convert(schema, direction) : reference(name, schema, direction);
    },
    named: () => Object.fromEntries([...used].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

const modules: readonly Record<string, unknown>[] = [
  ...[agent, apps, audit, changelog, consoleFaqs, correspondence, credentials, cycles, feedback, runs],
  ...[session, sessions, signIn, statistics, tags, tester, threads, views],
];

/** The names of the exported schemas. The name of a type of the API begins with a capital letter. */
const names: ReadonlyMap<z.core.$ZodType, string> = new Map(
  modules
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, value]) => (/^[A-Z]/.test(name) && isSchema(value) ? [[value, name] as const] : [])),
);

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** The lists to which later versions will not add values. */
const closedLists: ReadonlySet<z.core.$ZodType> = new Set([
  runs.RunStatus,
  changelog.ReleaseType,
  changelog.BodyFormat,
]);

/** Whether later versions may add values to a list. Only lists in answers are open. */
const isOpenList = (
  schema: z.core.$ZodType,
  { enum: values }: z.core.JSONSchema.BaseSchema,
  direction: Direction,
) => direction === "output" && values !== undefined && values.length > 1 && !closedLists.has(schema);

/** Replaces `enum` with another keyword, because a generated client would refuse values that are not in an `enum`. */
function openList(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  Object.assign(jsonSchema, { [openListWord]: jsonSchema.enum });
  delete jsonSchema.enum;
}

/** Allows unknown fields, because later versions may add fields. Removes the limits of safe integers. */
function open(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

type Json = Record<string, unknown>;
