import { type Definitions, defineForm, definePage } from "../definitions.ts";
import { IdempotencyField } from "../forms.tsx";
import { InTurns } from "../in-turns.tsx";
import { ConsolePage } from "../layout.tsx";
import { returnPath } from "../links.ts";
import { navigationOf } from "../navigation.ts";
import { Empty, Line } from "../parts.tsx";
import { goTo, type Reply, show } from "../respond.tsx";
import { Ago } from "../times.tsx";
import type { SignedInVisit } from "../visit.ts";
import type { Draft, NamedObject } from "./api.ts";
import { draftFieldOf } from "./fields.ts";
import { type FormObject, type ObjectKind, objectOfForm } from "./objects.ts";

/** Shows all unsent texts of a person, even from pages that no longer exist. (rule O17) */
async function showDrafts(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const found = await visit.drafts.list();
  const objects = found.flatMap(({ form }) => objectOfForm(form, visit.links) ?? []);
  const names = await visit.drafts.named(objects);
  return show(
    <ConsolePage navigation={navigation} title="Unsent text" narrow>
      <div class="head">
        <div>
          <h1>Unsent text</h1>
          <p>
            Texts that you have typed into forms of the console but not sent. Only you can read them. A text
            is deleted when you send or discard it, or 30 days after you last typed in it.
          </p>
        </div>
      </div>
      {found.length === 0 ? (
        <Empty title="No unsent text">
          <p>The console stores your text while you type, and shows it here until you send it.</p>
        </Empty>
      ) : (
        <ul class="list">
          <InTurns>
            {found.map((draft) => (
              <DraftLine key={draft.id} draft={draft} names={names} visit={visit} />
            ))}
          </InTurns>
        </ul>
      )}
    </ConsolePage>,
  );
}

type Names = ReadonlyMap<string, NamedObject>;

/** What the page says about an object that the person cannot open any more. */
const goneTexts: Readonly<Record<ObjectKind, string>> = {
  thread: "A thread that you can no longer open",
  faq: "An FAQ entry that you can no longer open",
  note: "A release note that you can no longer open",
  cycle: "A test that you can no longer open",
  listing: "A listing that you can no longer open",
};

const kindNames: Readonly<Record<ObjectKind, string>> = {
  thread: "Thread",
  faq: "FAQ entry",
  note: "Release note",
  cycle: "Test of",
  listing: "Listing of",
};

/**
 * Names the object to which the form of a text belongs, with a link to the page on which the text was typed. If this is
 * a thread that was merged, the link is to the thread into which it was merged.
 */
const Belonging = ({
  of,
  names,
  href,
  links,
}: {
  readonly of: FormObject;
  readonly names: Names;
  readonly href: string;
  readonly links: SignedInVisit["links"];
}) => {
  const named = names.get(of.id);
  if (!named) return <span class="muted">{goneTexts[of.kind]}</span>;
  if (named.intoId !== null)
    return (
      <span>
        #{named.number}, merged into{" "}
        <a href={links.thread(of.appId, named.intoId)}>
          #{named.intoNumber} <Line text={named.name} />
        </a>
      </span>
    );
  return (
    <a href={href}>
      {named.number === null ? kindNames[of.kind] : `#${named.number}`} <Line text={named.name} />
    </a>
  );
};

const DraftLine = ({
  draft,
  names,
  visit: { links, now, settings },
}: {
  readonly draft: Draft;
  readonly names: Names;
  readonly visit: Pick<SignedInVisit, "links" | "now" | "settings">;
}) => {
  const label = draftFieldOf(draft.field)?.label ?? "Text";
  const href = returnPath(draft.page, settings.consoleUrl, links.home);
  const of = objectOfForm(draft.form, links);
  return (
    <li>
      <div class="row spread">
        <b>{label}</b>
        {of ? (
          <Belonging of={of} names={names} href={href} links={links} />
        ) : (
          <a href={href}>Open its page</a>
        )}
      </div>
      <p class="under">
        <span>
          typed <Ago at={draft.updatedAt} now={now} />
        </span>
        {draft.browser !== null && <Line text={draft.browser} />}
      </p>
      <textarea class="short" readOnly aria-label={label}>
        {`\n${draft.text}`}
      </textarea>
      <form method="post" action={links.discardDraft}>
        <input type="hidden" name="draft" value={draft.id} />
        <IdempotencyField />
        <button class="small" type="submit">
          Discard
        </button>
      </form>
    </li>
  );
};

/** Discards a draft. If the draft no longer exists, this is not an error. */
async function discardDraft({ drafts, fields, links }: SignedInVisit): Promise<Reply<"draft-discarded">> {
  await drafts.remove(fields.text("draft"));
  return goTo(links.drafts, "draft-discarded");
}

const draftsPage = definePage({
  at: (links) => links.drafts,
  needs: "account",
  show: showDrafts,
});

export const definitions: Definitions = [
  draftsPage,
  defineForm({
    at: (links) => links.discardDraft,
    page: draftsPage,
    act: discardDraft,
    done: { "draft-discarded": "The text is discarded." },
    word: "discardDraft",
    notDone: "The text was not discarded.",
  }),
];
