import { ApiError } from "../../src/contract/errors.ts";
import type { Route } from "../http/mount.ts";
import { onFirstUse, type ReadOpenApi } from "../http/operations.ts";
import type { Settings } from "../settings/settings.ts";
import {
  type Credential,
  credentialOf,
  exampleBodyOf,
  fieldsOf,
  jsonSchemaOf,
  type Operation,
  operationJsonOf,
  operationsOf,
  type SchemaField,
  typeOf,
} from "./api-operations.ts";
import { assets } from "./assets.ts";
import { InTurns, renderInTurns } from "./in-turns.tsx";
import { Brand, Document } from "./layout.tsx";
import { consolePathOf, createLinks, type Links } from "./links.ts";
import { scrolledByKeys } from "./parts.tsx";
import { pageHeaders } from "./respond.ts";

/** The page of the API, and the JSON of each of its operations. */
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

/** The page of the API. Everybody can read it; a reader with a key can try the calls. */
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
              <code>{baseUrl}</code>. For programs, the OpenAPI document:{" "}
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

/** Shown only when scripts run. The key is in no form, so only the calls of this page send it. */
const Tools = () => (
  <div class="card stack" id="docs-tools" hidden>
    <div class="columns">
      <label class="field">
        <span>Search</span>
        <input type="search" id="docs-search" placeholder="faqs, POST, proposal …" autocomplete="off" />
      </label>
      <label class="field">
        <span>Key or token to try with</span>
        <input type="password" id="docs-key" autocomplete="off" spellcheck={false} />
      </label>
    </div>
    <p class="hint">The key stays in this page. It is not stored, and is gone when you leave the page.</p>
    <p class="muted small" id="docs-count" role="status" />
  </div>
);

/** `consoleFaqs` as `Console FAQ`. */
const titleOf = (tag: string): string => {
  const words = tag.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return ((words[0] ?? "").toUpperCase() + words.slice(1)).replace(/faqs$/i, "FAQ");
};

interface OperationProps {
  readonly operation: Operation;
  readonly baseUrl: string;
  /** The address of the operation's own JSON. */
  readonly json: string;
}

/** One operation, folded to one line. */
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

/** Text in which backticks mark code. */
const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
);

const credentialWords: Record<Credential, string> = {
  "x-api-key": "Needs an app key in the header x-api-key.",
  bearer: "Needs a token in the header Authorization: Bearer.",
  session: "Needs a console session: only a signed-in browser can call it.",
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

/** The text in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The fields have no names, so that a browser never puts their values into an address. */
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
          {method === "GET" ? "Send" : `Send ${method}, for real`}
        </button>
      </div>
      <output class="stack tight" aria-label={`Answer of ${operationId}`} />
    </section>
  );
};
