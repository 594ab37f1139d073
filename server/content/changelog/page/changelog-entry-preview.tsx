import { h } from "preact";
import { itemTypes } from "../../../../src/contract/changelog.ts";
import type { Values } from "../../../console/changed-values.ts";
import { Line } from "../../../console/text.tsx";

export interface EntryPreviewProps {
  /** The values of the form, with its lists as JSON. */
  readonly entry: Values;
  /** The text, rendered as HTML. */
  readonly html: string;
  /** Whether the values are only typed, not stored. */
  readonly unsaved?: boolean;
}

/** A release note as its readers will see it. A preview saves nothing. */
export const ChangelogEntryPreview = ({ entry, html, unsaved = false }: EntryPreviewProps) => (
  <section class="card stack" aria-label={unsaved ? "Preview" : "Text"}>
    {unsaved && <p class="muted small">Preview. Nothing is saved yet.</p>}
    <div>
      <h2>
        <Line text={entry.title || "Untitled"} />
      </h2>
      <p class="muted">
        <Line text={entry.version ?? ""} />
      </p>
    </div>
    {entry.bodyFormat === "items" ? (
      <Changes items={JSON.parse(entry.items ?? "[]")} />
    ) : (
      // The only raw HTML in the console. The Markdown renderer has escaped the writer's HTML.
      h("div", { class: "markdown", dangerouslySetInnerHTML: { __html: html } })
    )}
  </section>
);

const Changes = ({ items }: { readonly items: readonly Values[] }) => (
  <div class="markdown">
    {itemTypes.map((kind) => {
      const changes = items.filter(({ type }) => type === kind);
      return changes.length === 0 ? null : (
        <div key={kind}>
          <h3>{kind[0]?.toUpperCase() + kind.slice(1)}</h3>
          <ul>
            {changes.map(({ text = "" }) => (
              <li key={text}>
                <Line text={text} />
              </li>
            ))}
          </ul>
        </div>
      );
    })}
  </div>
);
