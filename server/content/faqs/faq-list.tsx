import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { By } from "../../console/by.tsx";
import { Can } from "../../console/can.tsx";
import { versionOf } from "../../console/filled-form.ts";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import type { AppNavigation } from "../../console/navigation.ts";
import type { LastChange } from "../../console/page-reads.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";

export interface FaqListProps {
  readonly navigation: AppNavigation;
  readonly faqs: readonly ListedFaq[];
  /** Who last changed an entry, by its id. */
  readonly changes: ReadonlyMap<string, LastChange>;
  /** The search words; empty for the whole list. */
  readonly query: string;
  readonly now: Date;
}

/** The search field, and how many entries it finds by words of their question and answer. */
export const FaqSearch = ({ navigation: { links, app }, faqs, query }: FaqListProps) => (
  <div class="filters">
    <search>
      <form class="search" method="get" action={links.faqs(app.id)}>
        <input
          type="search"
          name="q"
          value={query}
          aria-label="Search the FAQ"
          placeholder="Search the FAQ"
        />
        <button type="submit">Search</button>
      </form>
    </search>
    <p class="muted">
      {query === "" ? (
        `${faqs.length} entries`
      ) : (
        <>
          {`${found(faqs, query).length} of ${faqs.length} entries`} ·{" "}
          <a href={links.faqs(app.id)}>Show all</a>
        </>
      )}
    </p>
  </div>
);

/** The entries in their order, each with buttons that move it. Search results have no such buttons. */
export const FaqList = (props: FaqListProps) => {
  const { navigation, faqs, query } = props;
  const { links, app } = navigation;
  const shown = found(faqs, query);
  if (shown.length === 0) return <p class="card muted">No entry has all of these words.</p>;
  const entries = (
    <ol class="list linked">
      <InTurns>
        {shown.map((faq) => (
          <Entry key={faq.id} faq={faq} {...props} />
        ))}
      </InTurns>
    </ol>
  );
  return (
    <Can needs="maintainer" otherwise={entries}>
      <form method="post" action={links.faqs(app.id, "order")} data-moves>
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

const found = (faqs: readonly ListedFaq[], query: string): readonly ListedFaq[] => {
  const words = query.toLowerCase().split(/\s+/);
  return faqs.filter(({ question, answer }) => {
    const text = `${question} ${answer}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
};

const Entry = ({
  faq,
  faqs,
  changes,
  query,
  navigation: { links, app },
  now,
}: FaqListProps & { readonly faq: ListedFaq }) => (
  <li id={`faq-${faq.id}`} class="faq" tabIndex={-1}>
    <div>
      <a class="to" href={links.faq(app.id, faq.id)}>
        <Line text={faq.question} />
      </a>
      <p class="clip muted">
        <Line text={withoutMarkup(faq.answer)} />
      </p>
      <p class="under">
        <span>
          Changed <Ago at={faq.updatedAt} now={now} />
          <By change={changes.get(faq.id)} />
        </span>
      </p>
    </div>
    {query === "" && (
      <Can needs="maintainer">
        <div class="moves over" role="toolbar" aria-label={`Move: ${faq.question.slice(0, 80)}`}>
          <Move faq={faq} direction="up" disabled={faq === faqs[0]} />
          <Move faq={faq} direction="down" disabled={faq === faqs.at(-1)} />
        </div>
      </Can>
    )}
  </li>
);

/** The text of Markdown without its markup, for a short excerpt. */
const withoutMarkup = (text: string): string =>
  text
    .slice(0, 600)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replace(/(\*\*|__|`+|~~)(\S[^\n]*?)\1/g, "$2")
    .replace(/(^|\W)[*_](\S[^*_\n]*?)[*_](?=\W|$)/g, "$1$2");

interface MoveProps {
  readonly faq: ListedFaq;
  readonly direction: "up" | "down";
  readonly disabled: boolean;
}

const Move = ({ faq, direction, disabled }: MoveProps) => (
  <button
    class="quiet small"
    type="submit"
    name="move"
    value={`${faq.id} ${direction}`}
    disabled={disabled}
    aria-label={`Move ${direction}: ${faq.question.slice(0, 80)}`}
  >
    <span aria-hidden="true">{direction === "up" ? "↑" : "↓"}</span>
  </button>
);
