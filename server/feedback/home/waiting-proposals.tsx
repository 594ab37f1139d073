import { shownCount } from "../../console/counts.ts";
import { Empty } from "../../console/empty.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import type { Links } from "../../console/links.ts";
import type { WaitingProposal } from "../../console/page-reads.ts";
import { Pager } from "../../console/pager.tsx";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";

export interface WaitingProposalsProps {
  readonly rows: readonly WaitingProposal[];
  /** The number of waiting proposals on all pages, counted up to 100. */
  readonly count: number;
  readonly newestFirst: boolean;
  /** The address of the first page, in either order. */
  readonly ordered: (newestFirst: boolean) => string;
  /** The addresses of the first page and of the next one; undefined when this is the first or the last page. */
  readonly first: string | undefined;
  readonly next: string | undefined;
  readonly now: Date;
  readonly links: Links;
}

/** The proposals that wait for a decision, in pages. */
export const WaitingProposals = (props: WaitingProposalsProps) => {
  const { rows, count, first, next } = props;
  if (rows.length === 0 && first === undefined) {
    return (
      <Empty title="Nothing is waiting for you">
        <p>When an agent proposes a plan on a thread, it appears here. The oldest comes first.</p>
      </Empty>
    );
  }
  return (
    <>
      {count > 1 && <Orders {...props} />}
      <ol class="list linked" aria-label="Proposals">
        <InTurns>
          {rows.map((row) => (
            <Row key={row.id} row={row} {...props} />
          ))}
        </InTurns>
      </ol>
      <Pager first={first} next={next} firstWords="Back to the first" nextWords="More" />
    </>
  );
};

const Orders = ({ count, newestFirst, ordered }: WaitingProposalsProps) => (
  <div class="filters">
    <p class="muted">{`${shownCount(count)} wait for you`}</p>
    <nav class="pills" aria-label="Order">
      {[false, true].map((newest) => (
        <a key={newest} href={ordered(newest)} aria-current={newest === newestFirst ? "page" : undefined}>
          {newest ? "Newest first" : "Longest waiting first"}
        </a>
      ))}
    </nav>
  </div>
);

const Row = ({ row, now, links }: { readonly row: WaitingProposal } & WaitingProposalsProps) => (
  <li>
    <a class="to" href={`${links.thread(row.appId, row.feedbackId)}#proposal`}>
      <Line text={row.subject} />
    </a>
    <p class="clip">
      <Line text={row.summary} />
    </p>
    <p class="under">
      <span>
        <Line text={row.appName} />
      </span>
      <span>
        proposed <Ago at={row.createdAt} now={now} />
      </span>
    </p>
  </li>
);
