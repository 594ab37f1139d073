import * as z from "zod/mini";
import { ApiError } from "../../src/contract/errors.ts";
import { waitIfTurnIsLong } from "../event-loop.ts";
import { onFirstUse, type ReadOpenApi } from "../http/operations.ts";
import type { Route } from "../http/pipeline.ts";
import type { Settings } from "../settings/settings.ts";
import { assets } from "./assets.ts";
import { Brand, Document } from "./layout.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import { scrolledByKeys } from "./parts.tsx";
import { InTurns, pageHeaders, renderInTurns } from "./respond.tsx";

/** Returns the routes of the page that describes the API, and of the JSON for each operation. (rule O6) */
export function docsRoutes(
  settings: Pick<Settings, "baseUrl" | "consoleUrl">,
  readOpenApi: ReadOpenApi,
): Route[] {
  const { baseUrl } = settings;
  const page = onFirstUse(async () => {
    const links = createLinks(consolePathOf(settings).href);
    const operations = await operationsOf(await readOpenApi());
    return renderInTurns(Docs({ links, baseUrl, operations }));
  });
  const headers = pageHeaders(settings, "'none'");
  return [
    {
      method: "GET",
      path: "/api/v1/docs",
      async answer(ctx) {
        ctx.set(headers);
        ctx.type = "text/html; charset=utf-8";
        ctx.body = await page();
      },
    },
    {
      method: "GET",
      path: "/api/v1/docs/:operationId",
      async answer(ctx, { operationId }) {
        const operation = operationJsonOf(await readOpenApi(), operationId ?? "");
        if (operation === undefined) throw new ApiError("not_found");
        ctx.type = "application/json; charset=utf-8";
        ctx.body = `${JSON.stringify(operation, undefined, 2)}\n`;
      },
    },
  ];
}

/** The page that describes the API. Everybody can read it. A person with a key can try the operations. */
const Docs = ({
  links,
  baseUrl,
  operations,
}: {
  readonly links: Links;
  readonly baseUrl: string;
  readonly operations: readonly Operation[];
}) => {
  const base = new URL(baseUrl).pathname.replace(/\/$/, "");
  const tags = [...new Set(operations.flatMap(({ tags }) => tags))];
  return (
    <Document links={links} title="API" scripts={[assets.docs]} base={base}>
      <header class="top">
        <div class="bar">
          <Brand links={links} />
          <div class="end">
            <a href={links.home}>Console</a>
          </div>
        </div>
      </header>
      <main class="middle narrow stack wide" id="main" tabIndex={-1}>
        <div class="head">
          <div>
            <h1>API</h1>
            <p>
              {`${operations.length} operations at `}
              <code>{baseUrl}</code>. Programs can read the OpenAPI document:{" "}
              <a href={`${base}/api/v1/openapi.json`}>openapi.json</a>.
            </p>
          </div>
        </div>
        <Tools />
        {tags.map((tag) => (
          <section class="stack tight operations" key={tag} aria-labelledby={`tag-${tag}`}>
            <h2 id={`tag-${tag}`}>{titleOf(tag)}</h2>
            <InTurns>
              {operations
                .filter(({ tags }) => tags.includes(tag))
                .map((operation) => (
                  <OperationDetails
                    key={operation.operationId}
                    operation={operation}
                    baseUrl={baseUrl}
                    json={`${base}/api/v1/docs/${operation.operationId}`}
                  />
                ))}
            </InTurns>
          </section>
        ))}
      </main>
    </Document>
  );
};

/** The search field and the key field. No form contains the key field, so no form sends the key. */
const Tools = () => (
  <div class="card stack" id="docs-tools" hidden>
    <div class="columns">
      <label class="field">
        <span>Search</span>
        <input type="search" id="docs-search" placeholder="faqs, POST, proposal …" autocomplete="off" />
      </label>
      <label class="field">
        <span>Key or token for the calls</span>
        <input type="password" id="docs-key" autocomplete="off" spellcheck={false} />
      </label>
    </div>
    <p class="hint">The key is not stored. If you leave this page, you must type it again.</p>
    <p class="muted small" id="docs-count" role="status" />
  </div>
);

/** Returns the title for a tag: `Console FAQ` for `consoleFaqs`. */
const titleOf = (tag: string): string => {
  const words = tag.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return ((words[0] ?? "").toUpperCase() + words.slice(1)).replace(/faqs$/i, "FAQ");
};

interface OperationProps {
  readonly operation: Operation;
  readonly baseUrl: string;
  /** The address of the JSON of the operation. */
  readonly json: string;
}

/** Shows an operation of the API as one line. A person can open the line to see the details. */
const OperationDetails = ({ operation, baseUrl, json }: OperationProps) => {
  const {
    operationId,
    method,
    path,
    summary,
    description,
    deprecated,
    parameters = [],
    requestBody,
  } = operation;
  const body = requestBody && jsonSchemaOf(requestBody);
  const words = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
  return (
    <details class="operation" id={operationId} data-words={words}>
      <summary>
        <span class={`method ${method.toLowerCase()}`}>{method}</span>
        <code>{path}</code>
        <span class="muted">{summary}</span>
        {deprecated && <span class="badge bad">Deprecated</span>}
      </summary>
      <div class="inside stack">
        <p>
          {credentialWords[credentialOf(operation)]} <Prose text={description ?? ""} />
        </p>
        {parameters.length > 0 && (
          <Fields
            title="Parameters"
            fields={parameters.map((parameter) => ({
              path: parameter.name,
              type: `${parameter.in}, ${typeOf(parameter.schema)}`,
              required: parameter.required ?? false,
              rules: parameter.description ?? "",
            }))}
          />
        )}
        {requestBody && <Fields title="Body" fields={fieldsOf(body ?? {})} />}
        <Answers operation={operation} />
        <Example {...{ operation, baseUrl }} />
        <TryIt operation={operation} />
        <p class="small">
          <a href={json}>JSON of this operation</a>
        </p>
      </div>
    </details>
  );
};

/** Shows a text. The parts between backticks are shown as code. */
const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
);

const credentialWords: Record<Credential, string> = {
  "x-api-key": "Needs an app key in the header x-api-key.",
  bearer: "Needs a token in the header Authorization: Bearer.",
  session: "Needs a console session. Only a signed-in browser can call this operation.",
  none: "Needs no credential.",
};

const Fields = ({ title, fields }: { readonly title: string; readonly fields: readonly SchemaField[] }) => (
  <section class="stack tight">
    <h3>{title}</h3>
    {fields.length === 0 ? (
      <p class="muted small">Any object.</p>
    ) : (
      <dl class="api-fields">
        {fields.map(({ path, type, required, rules }) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
            </dt>
            <dd>
              {type}
              {required && <b> required</b>}
              {rules !== "" && (
                <span class="muted">
                  {" · "}
                  <Prose text={rules} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    )}
  </section>
);

const Answers = ({ operation: { responses } }: Pick<OperationProps, "operation">) => (
  <section class="stack tight">
    <h3>Answers</h3>
    <dl class="api-fields">
      {Object.entries(responses).map(([status, { description }]) => (
        <div key={status}>
          <dt>
            <code>{status}</code>
          </dt>
          <dd>
            <Prose text={description} />
          </dd>
        </div>
      ))}
    </dl>
    {Object.entries(responses)
      .filter(([status, response]) => status.startsWith("2") && response.content !== undefined)
      .map(([status, response]) => (
        <details class="reveal" key={status}>
          <summary>{`Fields of ${status}`}</summary>
          <Fields
            title={typeOf(jsonSchemaOf(response) ?? {})}
            fields={fieldsOf(jsonSchemaOf(response) ?? {})}
          />
        </details>
      ))}
  </section>
);

const Example = ({ operation, baseUrl }: Pick<OperationProps, "operation" | "baseUrl">) => {
  const credential = credentialOf(operation);
  const body = exampleBodyOf(operation);
  const lines = [
    `curl -X ${operation.method} '${baseUrl}${operation.path}'`,
    ...(credential === "x-api-key" ? [`-H "x-api-key: $INNKEEP_API_KEY"`] : []),
    ...(credential === "bearer" ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...requiredHeaders(operation).map((name) => `-H '${name}: …'`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return credential === "session" ? null : (
    <section class="stack tight">
      <h3>With curl</h3>
      <pre class="code" {...scrolledByKeys}>
        {lines.join(" \\\n  ")}
      </pre>
    </section>
  );
};

const requiredHeaders = ({ parameters = [] }: Operation): string[] =>
  parameters.flatMap(({ name, in: place, required }) => (place === "header" && required ? [name] : []));

/** Returns a text in single quotes, for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The form to try an operation. Its fields have no names, so the browser never puts values into an address. */
const TryIt = ({ operation }: Pick<OperationProps, "operation">) => {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const credential = credentialOf(operation);
  const body = exampleBodyOf(operation);
  const callable = path.startsWith("/api/") && (!requestBody || body !== undefined);
  if (credential === "session" || !callable) return null;
  return (
    <section
      class="stack try"
      data-try
      data-method={method}
      data-path={path}
      data-credential={credential}
      hidden
    >
      <h3>Try it</h3>
      {parameters.map(({ name, in: place, required }) => (
        <label class="field" key={name}>
          <span>
            {name} <span class="muted small">{required ? place : `${place}, optional`}</span>
          </span>
          <input type="text" data-param={name} data-in={place} autocomplete="off" />
        </label>
      ))}
      {body !== undefined && (
        <label class="field">
          <span>Body</span>
          <textarea data-body aria-label="Body" spellcheck={false} class="short">
            {JSON.stringify(body, undefined, 2)}
          </textarea>
        </label>
      )}
      <div class="actions">
        <button class={method === "GET" ? "primary" : "danger"} type="button" data-send>
          {method === "GET" ? "Send" : `Send ${method} (changes real data)`}
        </button>
      </div>
      <output class="stack tight" aria-label={`Answer of ${operationId}`} />
    </section>
  );
};

const Content = z.optional(
  z.record(z.string(), z.object({ schema: z.optional(z.unknown()), example: z.optional(z.unknown()) })),
);

/** The parts of an OpenAPI operation that the page reads. */
const Operation = z.object({
  tags: z.array(z.string()),
  operationId: z.string(),
  summary: z.string(),
  description: z.optional(z.string()),
  deprecated: z.optional(z.boolean()),
  security: z.optional(z.array(z.record(z.string(), z.unknown()))),
  parameters: z.optional(
    z.array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.optional(z.boolean()),
        description: z.optional(z.string()),
        schema: z.unknown(),
      }),
    ),
  ),
  requestBody: z.optional(z.object({ content: Content })),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content })),
});

interface Operation extends z.output<typeof Operation> {
  readonly method: string;
  readonly path: string;
}

const OpenApiDocument = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});

type Components = z.output<typeof OpenApiDocument>["components"];

/** Returns all operations of an OpenAPI document, in the order of the document. */
async function operationsOf(openApi: unknown): Promise<Operation[]> {
  const { paths, components } = OpenApiDocument.parse(openApi);
  const operations: Operation[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, given] of Object.entries(methods)) {
      await waitIfTurnIsLong();
      const operation = Operation.parse(resolved(given, components));
      operations.push({ ...operation, method: method.toUpperCase(), path });
    }
  return operations;
}

/** Returns an operation as in an OpenAPI document: `{ path: { method: operation } }`. Undefined for an unknown id. */
function operationJsonOf(openApi: unknown, operationId: string): unknown {
  const { paths, components } = OpenApiDocument.parse(openApi);
  for (const [path, methods] of Object.entries(paths))
    for (const [method, given] of Object.entries(methods))
      if (WithId.safeParse(given).data?.operationId === operationId)
        return { [path]: { [method]: resolved(given, components) } };
  return undefined;
}

const WithId = z.object({ operationId: z.string() });

/** The maximum depth of nested `$ref`s, because a schema can refer to itself. A deeper `$ref` becomes `{}`. */
const deepest = 12;

/** Returns `part` of the OpenAPI document, with each `$ref` replaced by the object that it names. */
function resolved(part: unknown, components: Components, depth = 0): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, components, depth));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) {
    const [kind = "", name = ""] = String(part.$ref).replace("#/components/", "").split("/");
    return depth < deepest ? resolved(components[kind]?.[name], components, depth + 1) : {};
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, resolved(value, components, depth)]),
  );
}

/** Returns the schema of a JSON body; undefined if there is none. */
const jsonSchemaOf = ({ content }: { readonly content?: z.output<typeof Content> }): unknown =>
  content?.["application/json"]?.schema;

/** Returns an example of a JSON body; undefined for an operation without a body. */
function exampleBodyOf({ requestBody }: Operation): unknown {
  const json = requestBody?.content?.["application/json"];
  return json && (json.example ?? exampleOf(json.schema));
}

/** The kind of credential that an operation needs. */
type Credential = "x-api-key" | "bearer" | "none" | "session";

/**
 * Returns the kind of credential that an operation needs. `session` means that the operation accepts only a
 * console session.
 */
function credentialOf({ security = [] }: Pick<Operation, "security">): Credential {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.length === 0) return "none";
  if (names.includes("appKey")) return "x-api-key";
  return names.some((name) => name.endsWith("Token")) ? "bearer" : "session";
}

/** The parts of a JSON schema that the page reads. */
const Schema = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  enum: z.optional(z.array(z.unknown())),
  "x-extensible-enum": z.optional(z.array(z.unknown())),
  const: z.optional(z.unknown()),
  format: z.optional(z.string()),
  description: z.optional(z.string()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minItems: z.optional(z.number()),
  maxItems: z.optional(z.number()),
  default: z.optional(z.unknown()),
});

type Schema = z.output<typeof Schema>;

/** A field of a request body or an answer. `path` is the full path, such as `items[].text`. */
interface SchemaField {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly rules: string;
}

const deepestField = 5;

/** Returns the fields of an object, and the fields of the objects that are nested in it. */
export function fieldsOf(given: unknown, prefix = "", depth = 0): SchemaField[] {
  const schema = plainOf(given);
  if (schema.items !== undefined)
    return depth < deepestField ? fieldsOf(schema.items, `${prefix}[]`, depth + 1) : [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const required = schema.required?.includes(name) ?? false;
    const field = { path, type: typeOf(value), required, rules: rulesOf(plainOf(value)) };
    return [field, ...(depth < deepestField ? fieldsOf(value, path, depth + 1) : [])];
  });
}

/** Returns the type of a schema, such as `string`, `array of object` or `string or null`. */
export function typeOf(given: unknown): string {
  const schema = Schema.parse(given);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return [schema.type ?? (schema.enum ? "string" : "any")].flat().join(" or ");
}

/** Returns an example of a body that has only the required fields. */
function exampleOf(given: unknown): unknown {
  const schema = plainOf(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.items !== undefined) return schema.minItems ? [exampleOf(schema.items)] : [];
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) =>
    schema.required?.includes(name),
  );
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(properties.map(([name, value]) => [name, exampleOf(value)]));
    case "string":
      return schema.format === "uuid" ? "00000000-0000-4000-8000-000000000000" : "text";
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}

/** Returns the parsed schema. If it has alternatives, returns the first alternative that is not null. */
function plainOf(given: unknown): Schema {
  const schema = Schema.parse(given);
  const forms = (schema.anyOf ?? []).map((form) => Schema.parse(form));
  return forms.find(({ type }) => type !== "null") ?? schema;
}

function rulesOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema;
  return [
    schema.enum && `one of ${valuesIn(schema.enum)}`,
    // The list ends with "…" because later versions of the API may add values.
    schema["x-extensible-enum"] && `one of ${valuesIn(schema["x-extensible-enum"])}, …`,
    schema.format,
    rangeOf(minLength, maxLength) && `${rangeOf(minLength, maxLength)} characters`,
    rangeOf(safe(minimum), safe(maximum)),
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} if it is missing`,
    maxItems === undefined ? undefined : `at most ${maxItems} items`,
    schema.description,
    schema.items === undefined ? undefined : rulesOf(plainOf(schema.items)),
  ]
    .filter(Boolean)
    .join("; ");
}

const valuesIn = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

const safe = (value: number | undefined): number | undefined =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

function rangeOf(from: number | undefined, to: number | undefined): string | undefined {
  if (to === undefined) return from === undefined ? undefined : `at least ${from}`;
  return from === undefined ? `at most ${to}` : `${from} to ${to}`;
}
