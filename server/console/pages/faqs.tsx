import { consoleFaqs } from "../../../src/contract/console/faqs.ts";
import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { Empty } from "../components/empty.tsx";
import { Framed } from "../components/framed.tsx";
import { Once } from "../components/once.tsx";
import { Ago } from "../components/when.tsx";
import { Line } from "../components/written.tsx";
import { versionOf } from "../filled.ts";
import { type AppFrame, appFrameOf } from "../frame.ts";
import { type Reply, show } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

/** The FAQ of an app, in the order in which its users read it. */
export async function faqsPage(visit: SignedInVisit): Promise<Reply> {
  const frame = await appFrameOf(visit, "faqs");
  const faqs = await visit.ask(consoleFaqs.list, { params: { appId: frame.app.id } });
  return show(<Faqs frame={frame} faqs={faqs} now={visit.now} />);
}

interface FaqsProps {
  readonly frame: AppFrame;
  readonly faqs: readonly ListedFaq[];
  readonly now: Date;
}

const Faqs = (props: FaqsProps) => {
  const { frame, faqs } = props;
  const { links, app } = frame;
  return (
    <Framed frame={frame} title="FAQ" narrow>
      <div class="head">
        <div>
          <h1>FAQ</h1>
          <p>Your app reads these entries over the API, in this order.</p>
        </div>
        <a class="button primary" href={links.faqs(app.id, "new")}>
          New entry
        </a>
      </div>
      {faqs.length === 0 ? (
        <Empty title="No questions yet">
          <p>Answer once what you are asked often. What you write here shows in your app at once.</p>
        </Empty>
      ) : (
        <FaqList {...props} />
      )}
    </Framed>
  );
};

const FaqList = ({ frame: { links, app }, faqs, now }: FaqsProps) => (
  <form method="post" action={links.faqs(app.id, "order")}>
    <Once />
    <input type="hidden" name="order" value={versionOf(faqs.map(({ id, sortOrder }) => [id, sortOrder]))} />
    <ol class="list linked">
      {faqs.map((faq, at) => (
        <li key={faq.id} id={`faq-${faq.id}`} class="faq" tabIndex={-1}>
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
              </span>
            </p>
          </div>
          <div class="moves over">
            <Move faq={faq} direction="up" disabled={at === 0} />
            <Move faq={faq} direction="down" disabled={at === faqs.length - 1} />
          </div>
        </li>
      ))}
    </ol>
  </form>
);

/** The words of Markdown, for a line or two of it. */
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
