import { type Definitions, defineForm, definePage } from "../definitions.ts";
import { IdempotencyField } from "../forms.tsx";
import { InTurns } from "../in-turns.tsx";
import { ConsolePage } from "../layout.tsx";
import { returnPath } from "../links.ts";
import { navigationOf } from "../navigation.ts";
import { Empty, Line } from "../parts.tsx";
import { goTo, type Reply, show } from "../respond.ts";
import { Ago } from "../times.tsx";
import type { SignedInVisit } from "../visit.ts";
import type { Draft } from "./api.ts";
import { draftFieldOf } from "./fields.ts";

/** Shows all unsent texts of a person, even from pages that no longer exist. (rule O17) */
async function showDrafts(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const found = await visit.drafts.list();
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
              <DraftLine key={draft.id} draft={draft} visit={visit} />
            ))}
          </InTurns>
        </ul>
      )}
    </ConsolePage>,
  );
}

const DraftLine = ({
  draft,
  visit: { links, now, settings },
}: {
  readonly draft: Draft;
  readonly visit: Pick<SignedInVisit, "links" | "now" | "settings">;
}) => {
  const label = draftFieldOf(draft.field)?.label ?? "Text";
  return (
    <li>
      <div class="row spread">
        <b>{label}</b>
        <a href={returnPath(draft.page, settings.consoleUrl, links.home)}>Open its page</a>
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
