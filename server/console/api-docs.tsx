import type { Operation } from "./api-operations.ts";
import { assets } from "./assets.ts";
import { Brand } from "./brand.tsx";
import { Document } from "./document.tsx";
import { InTurns } from "./in-turns.tsx";
import type { Links } from "./links.ts";
import { OperationDetails } from "./operation.tsx";

export interface DocsProps {
  readonly links: Links;
  readonly baseUrl: string;
  readonly operations: readonly Operation[];
}

/** The page of the API. Everybody can read it; a reader with a key can try the calls. */
export const Docs = ({ links, baseUrl, operations }: DocsProps) => {
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
