import { type Tag, tags } from "../../../src/contract/tags.ts";
import { Can } from "../../console/can.tsx";
import { Empty } from "../../console/empty.tsx";
import { filledWith } from "../../console/filled-form.ts";
import type { Filled } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { TagFields, TagLine } from "./tag-line.tsx";

/** A form of the page that was refused: that of a new tag, or that of the tag with this id. */
export interface RefusedTag {
  readonly form: Filled;
  readonly tagId?: string;
}

export const tagsPage = (visit: SignedInVisit): Promise<Reply> => showTags(visit);

export async function showTags(visit: SignedInVisit, refused?: RefusedTag): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const { items } = await visit.ask(tags.list, { params: { appId: navigation.app.id } });
  return show(<Tags {...{ navigation, refused }} tags={items} />, refused?.form.refusal?.status);
}

interface TagsProps {
  readonly navigation: AppNavigation;
  readonly tags: readonly Tag[];
  readonly refused: RefusedTag | undefined;
}

const Tags = ({ navigation, tags: all, refused }: TagsProps) => {
  const { app, links } = navigation;
  const threadsOf = ({ name }: Tag) =>
    `${links.inbox(app.id)}?${new URLSearchParams({ status: "all", tag: name })}`;
  return (
    <ConsolePage navigation={navigation} title="Tags" narrow>
      <div class="head">
        <div>
          <h1>Tags</h1>
          <p>Words by which your team sorts the feedback of this app. Senders never see them.</p>
        </div>
      </div>
      <div class="stack wide">
        {refused?.tagId !== undefined && <Refused refusal={refused.form.refusal} />}
        {all.length === 0 ? (
          <Empty title="No tags yet">
            <p>Type one on a thread, or make one here.</p>
          </Empty>
        ) : (
          <ul class="list">
            <InTurns>
              {all.map((tag) => (
                <TagLine
                  key={tag.id}
                  tag={tag}
                  others={all.filter(({ id }) => id !== tag.id)}
                  threads={threadsOf(tag)}
                  at={(part) => links.tag(app.id, tag.id, part)}
                  form={refused?.tagId === tag.id ? refused.form : undefined}
                />
              ))}
            </InTurns>
          </ul>
        )}
        <Can needs="maintainer">
          <NewTag
            action={links.tags(app.id)}
            form={refused?.tagId === undefined ? refused?.form : undefined}
          />
        </Can>
      </div>
    </ConsolePage>
  );
};

const NewTag = ({ action, form }: { readonly action: string; readonly form: Filled | undefined }) => (
  <section class="stack" aria-labelledby="new-tag">
    <h2 id="new-tag">New tag</h2>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form?.refusal} />
      <IdempotencyField />
      <TagFields form={form ?? filledWith({ colour: "grey" })} part="new" />
      <div class="actions">
        <button class="primary" type="submit">
          Make the tag
        </button>
      </div>
    </form>
  </section>
);
