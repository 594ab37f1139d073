import type { OwnedThread } from "../../../../src/contract/threads.ts";
import type { Links } from "../../../console/links.ts";
import { Line } from "../../../console/text.tsx";
import { TagBadge } from "../../tags/badge.tsx";
import { StatusBadge, TypeBadge } from "../badges.tsx";

export const ThreadHead = ({
  thread: { app, feedback, latestProposal, tags, assignee, earlier },
  links,
}: {
  readonly thread: OwnedThread;
  readonly links: Links;
}) => (
  <div class="head">
    <div class="stack tight">
      <h1>
        <Line text={feedback.subject} />
      </h1>
      <div class="row">
        <StatusBadge status={feedback.status} />
        <TypeBadge type={feedback.category} />
        {assignee !== null && (
          <span class="badge">
            Assigned to <Line text={assignee.email} />
          </span>
        )}
        {tags.map((tag) => (
          <TagBadge key={tag.id} tag={tag} />
        ))}
        {latestProposal?.status === "awaiting_approval" && (
          <a class="badge attention" href="#proposal">
            Waiting for your decision
          </a>
        )}
        {feedback.occurrences > 1 && <span class="badge">{`Reported ${feedback.occurrences} times`}</span>}
      </div>
      {earlier !== null && (
        <p>
          This failure came back. It was resolved before:{" "}
          <a href={links.thread(app.id, earlier.id)}>
            <Line text={earlier.subject} />
          </a>
        </p>
      )}
    </div>
  </div>
);
