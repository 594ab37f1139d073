import { consoleFaqs, type DraftedFaq, type ListedFaq } from "../../../../src/contract/faqs.ts";
import { countOf } from "../../../../src/words/phrases.ts";
import { oneLine } from "../../../../src/words/visible.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  type SignedInVisit,
} from "../../../console/definitions.ts";
import { IdempotencyField, versionOf } from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { TextChange } from "../../../console/page-reads.ts";
import { By, Can, Empty, Line, Pager } from "../../../console/parts.tsx";
import { goTo, InTurns, type Reply, show } from "../../../console/respond.tsx";
import { Ago } from "../../../console/times.tsx";
import { hasWords, wordsOf } from "../../texts/rules.ts";

/** Shows the FAQ of an app, in the order in which users read it. */
async function showFaqs(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const query = visit.query("q").trim();
  const wanted = { page: visit.query("page"), at: visit.query("at") };
  const [faqs, drafts, changes] = await Promise.all([
    visit.ask(consoleFaqs.list, { params: { appId: navigation.app.id } }),
    visit.ask(consoleFaqs.drafts, { params: { appId: navigation.app.id } }),
    visit.reads.faqAuthors(navigation.app.id),
  ]);
  return show(
    <Faqs
      {...{ navigation, faqs, drafts, changes, query }}
      part={partOf(faqs, query, wanted)}
      now={visit.now}
    />,
  );
}

const Faqs = (props: {
  readonly navigation: AppNavigation;
  readonly faqs: readonly ListedFaq[];
  /** Drafts of new entries, and published entries with a draft. */
  readonly drafts: readonly DraftedFaq[];
  readonly changes: FaqListProps["changes"];
  /** The typed search words. If they are empty, the whole list is shown. */
  readonly query: string;
  readonly part: Part;
  readonly now: Date;
}) => {
  const { navigation, faqs, query } = props;
  const { links, app } = navigation;
  return (
    <ConsolePage navigation={navigation} title="FAQ" narrow>
      <div class="head">
        <div>
          <h1>FAQ</h1>
          <p>Your app shows these entries in this order.</p>
        </div>
        <Can needs="maintainer">
          <a class="button primary" href={links.faqs(app.id, "new")}>
            New entry
          </a>
        </Can>
      </div>
      <Drafts {...props} />
      {faqs.length === 0 ? (
        <Empty title="No questions yet">
          <p>Answer frequent questions here. Your app shows the answers immediately.</p>
        </Empty>
      ) : (
        <>
          {(faqs.length > 10 || query !== "") && <FaqSearch {...props} />}
          {query === "" && faqs.length > 1 && (
            <Can needs="maintainer">
              <p class="hint" id="move-hint" hidden>
                Drag an entry by its handle, or select it and press Alt with ↑, ↓, Home or End.
              </p>
            </Can>
          )}
          <FaqList {...props} />
        </>
      )}
    </ConsolePage>
  );
};

/** The list of drafts. Apps do not get the texts of drafts. */
const Drafts = ({
  drafts,
  navigation: { links, app },
  now,
}: {
  readonly drafts: readonly DraftedFaq[];
  readonly navigation: AppNavigation;
  readonly now: Date;
}) =>
  drafts.length === 0 ? null : (
    <details class="reveal" open={drafts.length <= 5}>
      <summary>{drafts.length === 1 ? "1 draft" : `${drafts.length} drafts`}</summary>
      <ul class="list linked drafts">
        {drafts.map(({ id, published, question, draft }) => (
          <li key={id}>
            <div class="row spread">
              <a class="to" href={links.faq(app.id, id)}>
                <Line text={draft?.question ?? question} />
              </a>
              <span class="badge">{published ? "Changes not published" : "Draft"}</span>
            </div>
            {draft && (
              <p class="under">
                <span>
                  Changed <Ago at={draft.updatedAt} now={now} />
                </span>
              </p>
            )}
          </li>
        ))}
      </ul>
    </details>
  );

/** The maximum number of entries with excerpts of the answers. A longer list shows only the questions. */
const mostLong = 60;

const isShort = (faqs: readonly ListedFaq[]): boolean => faqs.length > mostLong;

interface FaqListProps {
  readonly navigation: AppNavigation;
  readonly faqs: readonly ListedFaq[];
  /** The last change of the texts of each entry, by the id of the entry. */
  readonly changes: ReadonlyMap<string, TextChange>;
  /** The typed search words. If they are empty, the whole list is shown. */
  readonly query: string;
  readonly part: Part;
  readonly now: Date;
}

/** The maximum number of entries on a page. */
export const mostOnPage = 200;

/** An entry, and its index in the whole list. */
interface Placed {
  readonly faq: ListedFaq;
  readonly place: number;
}

/** The found entries that the page shows. */
interface Part {
  readonly shown: readonly Placed[];
  /** The number of found entries. Without search words, all entries are found. */
  readonly count: number;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly pages: number;
}

/** Returns the page with the number `page` or the entry `at`. A number out of range gives the nearest page. */
function partOf(
  faqs: readonly ListedFaq[],
  query: string,
  wanted: { readonly page: string; readonly at: string },
): Part {
  const words = wordsOf(query);
  const found = faqs
    .map((faq, place): Placed => ({ faq, place }))
    .filter(({ faq: { question, answer } }) => hasWords([question, answer], words));
  const index = wanted.at === "" ? -1 : found.findIndex(({ faq }) => faq.id === wanted.at);
  const pages = Math.max(1, Math.ceil(found.length / mostOnPage));
  const number = index < 0 ? Number(wanted.page) || 1 : Math.floor(index / mostOnPage) + 1;
  const page = Math.min(Math.max(1, Math.trunc(number)), pages);
  const shown = found.slice((page - 1) * mostOnPage, page * mostOnPage);
  return { shown, count: found.length, page, pages };
}

/** The search field, and the number of entries that were found. */
const FaqSearch = ({ navigation: { links, app }, faqs, query, part }: FaqListProps) => (
  <div class="filters">
    <search>
      <form class="search" method="get" action={links.faqs(app.id)}>
        <input
          type="search"
          name="q"
          value={query}
          data-filters={part.pages === 1 ? "faqs" : undefined}
          aria-label="Search the FAQ"
          placeholder="Search the FAQ"
        />
        <button type="submit">Search</button>
      </form>
    </search>
    <p class="muted" id="faqs-count">
      {query === "" ? (
        countOf(faqs.length, "entry", "entries")
      ) : (
        <>
          {`${part.count} of ${countOf(faqs.length, "entry", "entries")}`} ·{" "}
          <a href={links.faqs(app.id)}>Show all</a>
        </>
      )}
    </p>
  </div>
);

/** The list of entries. Each entry has buttons that move it, except in search results. */
const FaqList = (props: FaqListProps) => {
  const { navigation, faqs, part } = props;
  const { links, app } = navigation;
  const [first] = part.shown;
  if (!first) return <p class="card muted">No entry has all of these words.</p>;
  const entries = (
    <>
      <ol
        class={isShort(faqs) ? "list linked short" : "list linked"}
        start={first.place + 1}
        data-all={faqs.length}
      >
        <InTurns>
          {part.shown.map((placed) => (
            <Entry key={placed.faq.id} placed={placed} {...props} />
          ))}
        </InTurns>
      </ol>
      <Pages {...props} />
    </>
  );
  return (
    <Can needs="maintainer" otherwise={entries}>
      <form
        class={isShort(faqs) ? "faqs short" : "faqs"}
        method="post"
        action={links.faqs(app.id, "order")}
        data-moves
      >
        <IdempotencyField />
        <input
          type="hidden"
          name="order"
          value={versionOf(faqs.map(({ id, sortOrder }) => [id, sortOrder]))}
        />
        {entries}
      </form>
    </Can>
  );
};

/** The number of this page, and links to the first, the previous and the next page. */
const Pages = ({ navigation: { links, app }, query, part: { page, pages } }: FaqListProps) => {
  if (pages === 1) return null;
  const at = (to: number): string => {
    const parameters = new URLSearchParams({ ...(query !== "" && { q: query }), page: String(to) });
    return `${links.faqs(app.id)}?${parameters}`;
  };
  return (
    <>
      <p class="muted">{`Page ${page} of ${pages}`}</p>
      <Pager
        first={page > 1 ? at(1) : undefined}
        previous={page > 2 ? at(page - 1) : undefined}
        next={page < pages ? at(page + 1) : undefined}
        firstWords="Back to the first page"
        nextWords="Next page"
      />
    </>
  );
};

const Entry = ({
  placed: { faq, place },
  faqs,
  changes,
  query,
  navigation: { links, app },
  now,
}: FaqListProps & { readonly placed: Placed }) => (
  <li id={`faq-${faq.id}`} class="faq" tabIndex={-1}>
    <div>
      <span class="place" aria-hidden="true">
        {place + 1}
      </span>
      <a class="to" href={links.faq(app.id, faq.id)}>
        <Line text={faq.question} />
      </a>
      {!isShort(faqs) && (
        <>
          <p class="clip muted">
            <Line text={withoutMarkup(faq.answer)} />
          </p>
          <p class="under">
            <span>
              <LastTextChange faq={faq} change={changes.get(faq.id)} now={now} />
            </span>
          </p>
        </>
      )}
    </div>
    {query === "" && (
      <Can needs="maintainer">
        <div class="moves over" role="toolbar" aria-label={`Move: ${oneLine(faq.question, 80)}`}>
          <Move faq={faq} direction="top" disabled={faq === faqs[0]} />
          <Move faq={faq} direction="up" disabled={faq === faqs[0]} />
          <Move faq={faq} direction="down" disabled={faq === faqs.at(-1)} />
          <Move faq={faq} direction="bottom" disabled={faq === faqs.at(-1)} />
        </div>
      </Can>
    )}
  </li>
);

/** When the texts of an entry were last changed, and by whom. */
const LastTextChange = ({
  faq,
  change,
  now,
}: {
  readonly faq: ListedFaq;
  readonly change: TextChange | undefined;
  readonly now: Date;
}) => {
  const { at = faq.updatedAt, email = null } = change ?? {};
  return (
    <>
      Changed <Ago at={at} now={now} />
      <By change={email === null ? undefined : { email }} />
    </>
  );
};

/** Removes Markdown's markup from the beginning of a text, for a short excerpt. */
const withoutMarkup = (text: string): string =>
  [...text.slice(0, 1_200)]
    .slice(0, 600)
    .join("")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replace(/(\*\*|__|`+|~~)(\S[^\n]*?)\1/g, "$2")
    .replace(/(^|\W)[*_](\S[^*_\n]*?)[*_](?=\W|$)/g, "$1$2");

const Move = ({
  faq,
  direction,
  disabled,
}: {
  readonly faq: ListedFaq;
  readonly direction: Direction;
  readonly disabled: boolean;
}) => (
  <button
    class="quiet small"
    type="submit"
    name="move"
    value={`${faq.id} ${direction}`}
    disabled={disabled}
    aria-label={`${moves[direction].label}: ${oneLine(faq.question, 80)}`}
  >
    <span aria-hidden="true">{moves[direction].sign}</span>
  </button>
);

const moves = {
  top: { label: "Move to the top", sign: "⇈" },
  up: { label: "Move up", sign: "↑" },
  down: { label: "Move down", sign: "↓" },
  bottom: { label: "Move to the bottom", sign: "⇊" },
} as const;

/** Moves an entry. If the list has changed since the page was opened, moves nothing and shows the list again. */
async function orderFaqs({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"moved">> {
  const faqs = await ask(consoleFaqs.list, { params: { appId: param("appId") } });
  const order = versionOf(faqs.map(({ id, sortOrder }) => [id, sortOrder]));
  const [id = "", direction] = fields.text("move").split(" ");
  const list = links.faqs(param("appId")) + (faqs.length > mostOnPage ? `?at=${encodeURIComponent(id)}` : "");
  if (order !== fields.text("order")) return goTo(list);
  const place = /(?<!\S)\S+ to (\d{1,6})$/.exec(fields.text("move"))?.[1];
  const changes =
    place === undefined ? moveFaq(faqs, id, directionOf(direction)) : placeFaq(faqs, id, Number(place));
  for (const { id: faqId, sortOrder } of changes) {
    const idempotencyKey = fields.idempotencyKey && `${fields.idempotencyKey}/${sortOrder}`;
    await ask(consoleFaqs.update, { params: { faqId }, body: { sortOrder }, idempotencyKey });
  }
  return goTo(list, "moved", `faq-${id}`);
}

/** An entry of the list, which is sorted by `sortOrder`. */
export interface FaqPosition {
  readonly id: string;
  readonly sortOrder: number;
}

type Direction = keyof typeof moves;

const directionOf = (word: string | undefined): Direction =>
  word === "up" || word === "top" || word === "bottom" ? word : "down";

/** Returns the entries whose `sortOrder` changes, with the new value. `faqs` must be all entries in order. */
export function moveFaq(faqs: readonly FaqPosition[], id: string, direction: Direction): FaqPosition[] {
  const from = faqs.findIndex((faq) => faq.id === id);
  if (direction === "top" || direction === "bottom") return moveToEnd(faqs, from, direction);
  const to = direction === "up" ? from - 1 : from + 1;
  const [moving, neighbour] = [faqs[from], faqs[to]];
  if (!moving || !neighbour) return [];
  const wanted = faqs.with(from, neighbour).with(to, moving);
  const positions = distinctPositions(faqs);
  return wanted.flatMap((faq, at) => {
    const sortOrder = positions[at] ?? at;
    return faq.sortOrder === sortOrder ? [] : [{ id: faq.id, sortOrder }];
  });
}

/** Moves an entry to the index `place`, from 0. Returns as few entries with a new `sortOrder` as possible. */
export function placeFaq(faqs: readonly FaqPosition[], id: string, place: number): FaqPosition[] {
  const from = faqs.findIndex((faq) => faq.id === id);
  const moving = faqs[from];
  if (!moving || from === place || place >= faqs.length) return [];
  const others = faqs.filter((faq) => faq !== moving);
  const [before, after] = [others.slice(0, place), others.slice(place)];
  const up = pushed(moving, before.at(-1), after, 1);
  const down = pushed(moving, after[0], before.toReversed(), -1);
  if (!up || !down) return up ?? down ?? [];
  return up.length <= down.length ? up : down;
}

/**
 * Places `moving` after `neighbour` if `step` is 1, otherwise before `neighbour`. `others` begins with the
 * nearest entry.
 */
function pushed(
  moving: FaqPosition,
  neighbour: FaqPosition | undefined,
  others: readonly FaqPosition[],
  step: 1 | -1,
): FaqPosition[] | undefined {
  if (!neighbour) return undefined;
  let last = neighbour.sortOrder + step;
  const changes = [{ id: moving.id, sortOrder: last }];
  // If no `sortOrder` is free, the nearest entries in `others` also get a new `sortOrder`.
  for (const { id, sortOrder } of others) {
    if ((sortOrder - last) * step > 0) break;
    last += step;
    changes.push({ id, sortOrder: last });
  }
  return changes;
}

/** Returns the new `sortOrder` of an entry that moves to an end of the list. No other entry changes. */
function moveToEnd(faqs: readonly FaqPosition[], from: number, end: "top" | "bottom"): FaqPosition[] {
  const [moving, edge] = [faqs[from], faqs.at(end === "top" ? 0 : -1)];
  if (!moving || !edge || moving === edge) return [];
  return [{ id: moving.id, sortOrder: edge.sortOrder + (end === "top" ? -1 : 1) }];
}

function distinctPositions(faqs: readonly FaqPosition[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return faqs.map(({ sortOrder }) => {
    last = Math.max(sortOrder, last + 1);
    return last;
  });
}

const faqsPage = definePage({
  at: (links) => links.faqs(":appId"),
  needs: "viewer",
  show: showFaqs,
});

export const definitions: Definitions = [
  faqsPage,
  defineForm({
    at: (links) => links.faqs(":appId", "order"),
    page: faqsPage,
    act: orderFaqs,
    done: { moved: "The order is changed." },
    word: "orderFaqs",
    notDone: "The order was not changed.",
  }),
];
