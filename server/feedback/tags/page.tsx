import { ApiError } from "../../../src/contract/errors.ts";
import { type Tag, tagColours, tags } from "../../../src/contract/tags.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { visibleLine } from "../../../src/words/visible.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  givenFor,
  IdempotencyField,
  OriginalValues,
  Select,
  TextField,
  type Values,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { changed, type NotDone } from "../../console/notices.ts";
import { Can, Empty, Line, Refused } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { TagBadge } from "../threads/badges.tsx";

function createTag(visit: SignedInVisit): Promise<Reply<"tag-made">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const body = tagBody(givenFor(fields, emptyTag));
      await ask(tags.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.tags(params.appId), "tag-made");
    },
    (refusal) => showTags(visit, { form: filledAgain(fields, refusal) }),
  );
}

function updateTag(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const [appId, tagId] = [param("appId"), param("tagId").toLowerCase()];
  return reshowForm(
    async () => {
      const { items } = await ask(tags.list, { params: { appId } });
      const tag = items.find(({ id }) => id === tagId);
      if (!tag) throw new ApiError("not_found");
      const current = currentTag(tag);
      const body = tagBody(changedValues(fields, givenFor(fields, current), current));
      await ask(tags.update, { params: { tagId }, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.tags(appId), "changed");
    },
    (refusal) => showTags(visit, { form: filledAgain(fields, refusal), tagId }),
  );
}

/** The values that the form for a new tag shows first. A tag without a colour is grey. */
const emptyTag: Values = { name: "", colour: "grey" };

const currentTag = ({ name, colour }: Tag) => ({ name, colour: colour ?? "grey" });

const tagBody = ({ colour, ...rest }: Values): Record<string, unknown> => ({
  ...rest,
  ...(colour === undefined ? {} : { colour: colour || null }),
});

async function mergeTag({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"tag-merged">> {
  const body = { into: fields.text("into") };
  const params = { tagId: param("tagId") };
  await ask(tags.merge, { params, body, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tags(param("appId")), "tag-merged");
}

async function deleteTag({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"tag-deleted">> {
  await ask(tags.remove, { params: { tagId: param("tagId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tags(param("appId")), "tag-deleted");
}

/** A form with an error. Without `tagId`, it is the form for a new tag. */
interface RefusedTag {
  readonly form: Filled;
  readonly tagId?: string;
}

async function showTags(visit: SignedInVisit, refused?: RefusedTag): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const { items } = await visit.ask(tags.list, { params: { appId: navigation.app.id } });
  return show(<Tags {...{ navigation, refused }} tags={items} />, refused?.form.refusal?.status);
}

const Tags = ({
  navigation,
  tags: all,
  refused,
}: {
  readonly navigation: AppNavigation;
  readonly tags: readonly Tag[];
  readonly refused: RefusedTag | undefined;
}) => {
  const { app, links } = navigation;
  const threadsOf = ({ name }: Tag) =>
    `${links.inbox(app.id)}?${new URLSearchParams({ status: "all", tag: name })}`;
  return (
    <ConsolePage navigation={navigation} title="Tags" narrow>
      <div class="head">
        <div>
          <h1>Tags</h1>
          <p>With tags, your team sorts the feedback of this app. Senders never see tags.</p>
        </div>
      </div>
      <div class="stack wide">
        {refused?.tagId !== undefined && <Refused refusal={refused.form.refusal} />}
        {all.length === 0 ? (
          <Empty title="No tags yet">
            <p>Add a tag to a thread, or create a tag here.</p>
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
      <TagFields form={form ?? filledWith(emptyTag)} part="new" />
      <div class="actions">
        <button class="primary" type="submit">
          Create tag
        </button>
      </div>
    </form>
  </section>
);

const colourNames = tagColours.map(
  (colour) => [colour, `${colour.slice(0, 1).toUpperCase()}${colour.slice(1)}`] as const,
);

const TagLine = ({
  tag,
  others,
  threads,
  at,
  form,
}: {
  readonly tag: Tag;
  /** The other tags of the app, into which this tag can be merged. */
  readonly others: readonly Tag[];
  /** The address of the list of threads with the tag. */
  readonly threads: string;
  /** Returns the address of an action on this tag. */
  readonly at: (part: string) => string;
  /** The sent form that changes the tag, if it has an error. */
  readonly form: Filled | undefined;
}) => {
  const current = currentTag(tag);
  const shown = filledOver(form, current);
  return (
    <li>
      <div class="row spread">
        <TagBadge tag={tag} />
        <a href={threads}>
          {countOf(tag.threads, "thread")}
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
            <OriginalValues current={current} form={shown} />
            <TagFields form={shown} part={tag.id} />
            <div class="actions">
              <button type="submit">Save</button>
            </div>
          </form>
        </details>
        {others.length > 0 && <Merge tag={tag} others={others} action={at("merge")} />}
        <Confirmation offer="Delete" action={at("delete")} button="Delete the tag" danger>
          The tag is removed from all its threads. The threads are not deleted.
        </Confirmation>
      </Can>
    </li>
  );
};

const TagFields = ({ form, part }: { readonly form: Filled; readonly part: string }) => (
  <>
    <TextField form={form} name="name" label="Name" part={part} required />
    <Select form={form} name="colour" label="Colour" part={part} options={colourNames} />
  </>
);

const Merge = ({
  tag,
  others,
  action,
}: {
  readonly tag: Tag;
  readonly others: readonly Tag[];
  readonly action: string;
}) => (
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
        hint="All threads with this tag get the other tag, and this tag is deleted."
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

const tagsPage = definePage({
  at: (links) => links.tags(":appId"),
  needs: "viewer",
  show: showTags,
});

const tagNotSaved: NotDone = { word: "saveTag", notDone: "The tag was not saved." };

export const definitions: Definitions = [
  tagsPage,
  defineForm({
    at: (links) => links.tags(":appId"),
    page: tagsPage,
    act: createTag,
    done: { "tag-made": "The tag was created." },
    ...tagNotSaved,
  }),
  defineForm({
    at: (links) => links.tag(":appId", ":tagId", "change"),
    page: tagsPage,
    act: updateTag,
    done: changed,
    ...tagNotSaved,
  }),
  defineForm({
    at: (links) => links.tag(":appId", ":tagId", "merge"),
    page: tagsPage,
    act: mergeTag,
    done: { "tag-merged": "The tags are merged." },
    word: "mergeTags",
    notDone: "The tags were not merged.",
  }),
  defineForm({
    at: (links) => links.tag(":appId", ":tagId", "delete"),
    page: tagsPage,
    act: deleteTag,
    done: { "tag-deleted": "The tag is deleted." },
    word: "deleteTag",
    notDone: "The tag was not deleted.",
  }),
];
