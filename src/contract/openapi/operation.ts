import type * as z from "zod/mini";
import { type Auth, type Endpoint, isRepeatable, type Role } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { type Json, security } from "./components.ts";
import { examples } from "./examples.ts";
import { formSchema } from "./form.ts";
import { responses } from "./responses.ts";
import type { Schemas } from "./schemas.ts";

/** An endpoint and its place in the contract. */
export interface NamedEndpoint {
  readonly tag: string;
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** One endpoint as an OpenAPI operation. */
export function operation({ tag, name, endpoint }: NamedEndpoint, schemas: Schemas): Json {
  const operationId = `${tag}.${name}`;
  const example = examples[operationId] ?? {};
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

/** Who may send it. */
function descriptionOf({ auth, scope, ownToken, role }: Endpoint): string {
  const notes = [
    callers[auth],
    ...(scope ? [`Needs the scope \`${scope}\`${ownToken ? ", except for the token itself" : ""}.`] : []),
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
  session: "Needs a console session: only a signed-in browser can send it.",
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
    ...(endpoint.method === "GET" && !("download" in endpoint.success) ? [ifNoneMatch] : []),
  ];
}

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `A repeat with the same key gets the stored answer, marked \`Idempotent-Replay: true\`. 1 to ${limits.idempotencyKey} printable ASCII characters; in double quotes it is the same key.`,
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
    "The `ETag` of the list that the client has read, or `*` for any: 412 if it is no longer current.",
  schema: { type: "string" },
};

const date: Json = {
  name: "Date",
  in: "header",
  required: false,
  description:
    "What the sender's clock shows, as in `Sun, 06 Nov 1994 08:49:37 GMT`. If it is ahead, instants of the body are moved back by as much.",
  schema: { type: "string" },
};

const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of the answer that the client has: 304 while that is current.",
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
