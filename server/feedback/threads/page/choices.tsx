import type { Tag } from "../../../../src/contract/tags.ts";
import type { Assignee } from "../../../../src/contract/threads.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import { usePersonWords } from "../../../console/people.tsx";
import { TagBadge } from "../badge.tsx";

/** The tags by which the list is filtered. */
export const ChosenTags = ({
  chosen,
  all,
  address,
}: {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
  /** The address of the inbox with these tags. */
  readonly address: (tags: readonly string[]) => string;
}) => (
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

/** One filter of the list other than a tag: its words, and the list without it. */
export interface ChosenFilter {
  readonly words: string;
  /** The address of the list without this filter. */
  readonly address: string;
}

/** The filters of the list other than tags. Each is a link that removes it. */
export const ChosenFilters = ({ chosen }: { readonly chosen: readonly ChosenFilter[] }) => (
  <ul class="row" aria-label="Filters">
    {chosen.map(({ words, address }) => (
      <li key={words}>
        <a href={address} class="chosen">
          <span class="badge">{words}</span>
          <span aria-hidden="true">×</span>
          <span class="unseen">Remove this filter</span>
        </a>
      </li>
    ))}
  </ul>
);

/** The fields with which a person adds one more tag to the filter. */
export const TagChoice = ({
  chosen,
  all,
}: {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
}) => {
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
            <option value="">{chosen.length === 0 ? "All tags" : "Add a tag"}</option>
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

/** The field that filters by assignee. */
export const AssigneeChoice = ({
  chosen,
  people,
}: {
  readonly chosen: string;
  readonly people: readonly Assignee[];
}) => {
  const wordsOf = usePersonWords();
  const options = [
    ["", "Any assignee"],
    ["me", "Assigned to me"],
    ["none", "Assigned to nobody"],
    ...people.map(({ userId, email }) => [userId, wordsOf(email)] as const),
  ] as const;
  return (
    <>
      <label class="unseen" for="assignee">
        Assigned to
      </label>
      <select class="more" id="assignee" name="assignee">
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
};
