import type { Tag } from "../../../src/contract/tags.ts";
import { visibleLine } from "../../../src/words/hidden.ts";
import { TagBadge } from "../tags/badge.tsx";

/** The names of the tags in the address of the inbox. `also` is a tag that was just chosen. */
export function chosenTags(query: (name: string) => string): string[] {
  const given = [...query("tag").split(","), query("also")].map((name) => name.trim());
  return [...new Set(given.filter((name) => name !== ""))];
}

interface ChosenTagsProps {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
  /** The address of the inbox with these tags. */
  readonly address: (tags: readonly string[]) => string;
}

/** The tags by which the list is filtered. */
export const ChosenTags = ({ chosen, all, address }: ChosenTagsProps) => (
  <div class="row">
    {chosen.map((name) => (
      <a key={name} href={address(chosen.filter((other) => other !== name))} class="chosen">
        <TagBadge tag={all.find((tag) => tag.name === name) ?? { name, colour: null }} />
        <span aria-hidden="true">×</span>
        <span class="unseen">Show feedback without this tag, too</span>
      </a>
    ))}
  </div>
);

interface TagChoiceProps {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
}

/** The fields that filter by one more tag. */
export const TagChoice = ({ chosen, all }: TagChoiceProps) => {
  const left = all.filter(({ name }) => !chosen.includes(name));
  return (
    <>
      {chosen.length > 0 && <input type="hidden" name="tag" value={chosen.join(",")} />}
      {left.length > 0 && (
        <>
          <label class="unseen" for="also">
            Tag
          </label>
          <select class="more" id="also" name="also">
            <option value="">{chosen.length === 0 ? "All tags" : "And a tag"}</option>
            {left.map(({ id, name }) => (
              <option key={id} value={name}>
                {visibleLine(name)}
              </option>
            ))}
          </select>
        </>
      )}
    </>
  );
};
