import { versionOf } from "../../console/filled-form.ts";
import { InTurns } from "../../console/in-turns.tsx";
import type { Links } from "../../console/links.ts";
import type { AgentWork, ShortList } from "../../console/page-reads.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";

export interface AgentWorkProps {
  readonly work: Readonly<Record<"inWork" | "failed" | "sentBack", ShortList>>;
  readonly now: Date;
  readonly links: Links;
}

/** What agents work on, what failed, and what waits for a new plan, in short. */
export const AgentWorkLists = ({ work, now, links }: AgentWorkProps) => (
  <div id="work" class="stack wide" data-live={versionOf(work)} data-news="The work of agents has changed.">
    {parts.map(({ list, id, title, happened }) => {
      const { rows, more } = work[list];
      return rows.length === 0 ? null : (
        <section key={id} class="stack" aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <ul class="list linked">
            <InTurns>
              {rows.map((row) => (
                <Row key={row.runId} row={row} happened={happened} now={now} links={links} />
              ))}
            </InTurns>
          </ul>
          {more && <p class="muted">{`Only ${rows.length} are shown.`}</p>}
        </section>
      );
    })}
  </div>
);

const parts = [
  { list: "inWork", id: "in-work", title: "In work", happened: "last sign of life" },
  { list: "failed", id: "failed", title: "Failed in the last 30 days", happened: "failed" },
  { list: "sentBack", id: "sent-back", title: "Waiting for a new plan", happened: "you asked for changes" },
] as const;

interface RowProps extends Pick<AgentWorkProps, "now" | "links"> {
  readonly row: AgentWork;
  readonly happened: string;
}

const Row = ({ row, happened, now, links }: RowProps) => (
  <li>
    <a class="to" href={`${links.thread(row.appId, row.feedbackId)}#proposal`}>
      <Line text={row.subject} />
    </a>
    {row.text !== null && (
      <p class="clip">
        <Line text={row.text} />
      </p>
    )}
    <p class="under">
      <span>
        <Line text={row.appName} />
      </span>
      {row.worker !== null && (
        <span>
          <Line text={row.worker} />
        </span>
      )}
      <span>
        {happened} <Ago at={row.at} now={now} />
      </span>
    </p>
  </li>
);
