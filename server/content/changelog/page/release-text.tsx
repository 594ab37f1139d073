import { itemTypes } from "../../../../src/contract/changelog.ts";
import type { Values } from "../../../console/forms.tsx";
import { Line } from "../../../console/parts.tsx";
import { Preview, Rendered, type TextLanguage } from "../../texts/parts.tsx";
import { listOf } from "./values.ts";

/** A release note as an app can show it. */
export const ReleaseText = ({
  entry,
  html,
  label,
  language,
}: {
  /** The values of the form, with its lists as JSON. */
  readonly entry: Values;
  /** The text, rendered as HTML. */
  readonly html: string;
  readonly label?: "Text" | "Default text";
  /** The language of the text, if it differs from the language of the page. */
  readonly language?: TextLanguage;
}) => (
  <Preview label={label} language={language}>
    <div>
      <h2>
        <Line text={entry.title || "Untitled"} />
      </h2>
      <p class="muted">
        <Line text={entry.version ?? ""} />
      </p>
    </div>
    {entry.bodyFormat === "items" ? <Changes items={listOf(entry.items)} /> : <Rendered html={html} />}
  </Preview>
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
