import type { ThreadTag } from "../../../../src/contract/tags.ts";
import { visibleLine } from "../../../../src/words/hidden.ts";
import { type Filled, TextField } from "../../../console/forms.tsx";
import { TagBadge } from "../../tags/badge.tsx";
import { editLabels } from "../fields.tsx";

interface ThreadTagsProps {
  readonly tags: readonly ThreadTag[];
  /** The names of all tags of the app. */
  readonly known: readonly string[];
  readonly form: Filled;
  /** Where the buttons that take a tag away send the form. */
  readonly action: string;
}

/** The tags of a thread, each with a button that takes it away, and a field for more. */
export const ThreadTags = ({ tags, known, form, action }: ThreadTagsProps) => (
  <>
    {tags.length > 0 && (
      <ul class="row tags" aria-label="Tags">
        {tags.map((tag) => (
          <li key={tag.id} class="row">
            <TagBadge tag={tag} />
            <button
              class="small plain"
              type="submit"
              name="removeTag"
              value={tag.name}
              formaction={action}
              formnovalidate
              aria-label={`Remove the tag ${visibleLine(tag.name)}`}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    )}
    <TextField
      form={form}
      name="addTags"
      label={editLabels.addTags}
      list="known-tags"
      autocomplete="off"
      hint="With commas between them. A new word makes a tag."
    />
    <datalist id="known-tags">
      {known.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  </>
);
