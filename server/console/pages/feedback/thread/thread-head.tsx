import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { Line } from "../../../kit/display/user-text.tsx";
import { TagBadge } from "../../tags/tag-badge.tsx";
import { StatusBadge, TypeBadge } from "../feedback-badges.tsx";

export const ThreadHead = ({
  thread: { feedback, latestProposal, tags, assignee },
}: {
  readonly thread: OwnedThread;
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
    </div>
  </div>
);
