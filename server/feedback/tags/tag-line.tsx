import { type Tag, tagColours } from "../../../src/contract/tags.ts";
import { visibleLine } from "../../../src/words/hidden.ts";
import { Can } from "../../console/can.tsx";
import { Confirmation } from "../../console/confirmation.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, Select, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { Line } from "../../console/text.tsx";
import { TagBadge } from "./badge.tsx";

const colourNames = tagColours.map(
  (colour) => [colour, `${colour.slice(0, 1).toUpperCase()}${colour.slice(1)}`] as const,
);

export interface TagLineProps {
  readonly tag: Tag;
  /** The other tags of the app. */
  readonly others: readonly Tag[];
  /** The threads with the tag. */
  readonly threads: string;
  /** The address of an action on this tag. */
  readonly at: (part: string) => string;
  /** The form that changes the tag, if it was refused. */
  readonly form: Filled | undefined;
}

/** A tag, with the forms that change, merge or delete it. */
export const TagLine = ({ tag, others, threads, at, form }: TagLineProps) => (
  <li>
    <div class="row spread">
      <TagBadge tag={tag} />
      <a href={threads}>
        {tag.threads === 1 ? "1 thread" : `${tag.threads} threads`}
        <span class="unseen">
          {" "}
          with <Line text={tag.name} />
        </span>
      </a>
    </div>
    <Can needs="maintainer">
      <details class="reveal" open={form !== undefined}>
        <summary>
          Change<span class="unseen">{` ${tag.name}`}</span>
        </summary>
        <form class="stack" method="post" action={at("change")}>
          <IdempotencyField />
          <TagFields
            form={form ?? filledWith({ name: tag.name, colour: tag.colour ?? "grey" })}
            part={tag.id}
          />
          <div class="actions">
            <button type="submit">Save</button>
          </div>
        </form>
      </details>
      {others.length > 0 && <Merge tag={tag} others={others} action={at("merge")} />}
      <Confirmation offer="Delete" action={at("delete")} button="Delete the tag" danger>
        The tag disappears from all its threads. The threads stay.
      </Confirmation>
    </Can>
  </li>
);

/** The name and the colour of a tag. */
export const TagFields = ({ form, part }: { readonly form: Filled; readonly part: string }) => (
  <>
    <TextField form={form} name="name" label="Name" part={part} required />
    <Select form={form} name="colour" label="Colour" part={part} options={colourNames} />
  </>
);

interface MergeProps {
  readonly tag: Tag;
  readonly others: readonly Tag[];
  readonly action: string;
}

const Merge = ({ tag, others, action }: MergeProps) => (
  <details class="reveal">
    <summary>
      Merge<span class="unseen">{` ${tag.name}`}</span>
    </summary>
    <form class="stack" method="post" action={action}>
      <IdempotencyField />
      <Select
        form={filledWith()}
        name="into"
        label="Into"
        part={tag.id}
        hint="All threads of this tag get that one, and this one is deleted."
        options={others.map(({ id, name }) => [id, visibleLine(name)] as const)}
      />
      <div class="actions">
        <button class="small" type="submit">
          Merge
        </button>
      </div>
    </form>
  </details>
);
