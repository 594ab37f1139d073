import type { ThreadEvent } from "../../../../src/contract/threads.ts";
import { ExternalLink, Line } from "../../../console/parts.tsx";
import { Person } from "../../../console/people.tsx";
import { Timestamp } from "../../../console/times.tsx";
import { nameIn, statusNames, typeNames } from "../badges.tsx";

/** One line of the timeline: who did what to the thread, and when. */
export const EventLine = ({
  event,
  entryAddress,
}: {
  readonly event: ThreadEvent;
  /** Returns the address of a release note. */
  readonly entryAddress: (entryId: string) => string;
}) => (
  <p class="event">
    <span>
      {event.kind === "release_note" ? null : (
        <>
          <b>{event.by === null ? "Innkeep" : <Person email={event.by} />}</b>{" "}
        </>
      )}
      <Deed event={event} entryAddress={entryAddress} />
      {event.tokenId !== undefined && " with a token"}
    </span>
    <Timestamp at={event.at} />
  </p>
);

const Deed = ({
  event: { kind, by, field, from = null, to = null, entryId },
  entryAddress,
}: {
  readonly event: ThreadEvent;
  readonly entryAddress: (entryId: string) => string;
}) => {
  switch (kind) {
    case "status":
      return (
        <Change what="status" from={nameIn(statusNames, from ?? "")} to={nameIn(statusNames, to ?? "")} />
      );
    case "type":
      return <Change what="type" from={nameIn(typeNames, from ?? "")} to={nameIn(typeNames, to ?? "")} />;
    case "subject":
      return <Change what="subject" from={from ?? ""} to={to ?? ""} />;
    case "assignee":
      return <Assignment by={by} from={from} to={to} />;
    case "tags":
      return <Tags from={from} to={to} />;
    case "issue":
      return to === null ? (
        <>removed the link to the issue</>
      ) : (
        <>
          linked the issue <ExternalLink to={to}>{to}</ExternalLink>
        </>
      );
    case "snooze":
      return to === null ? (
        <>ended the snooze</>
      ) : (
        <>
          snoozed the thread until <Timestamp at={to} />
        </>
      );
    case "merge":
      return <Merge field={field} from={from} to={to} />;
    case "decision":
      return <>{decisions[to ?? ""] ?? "decided on the plan"}</>;
    case "release_note":
      return (
        <>
          Release note{" "}
          <a href={entryAddress(entryId ?? "")}>
            <Line text={to ?? ""} />
          </a>{" "}
          names this thread
        </>
      );
    default:
      return <Change what={kind} from={from ?? ""} to={to ?? ""} />;
  }
};

/** A merge, or an undone merge. The field shows to which of the two threads the event belongs. */
const Merge = ({ field, from, to }: Pick<ThreadEvent, "field" | "from" | "to">) => {
  const name = <Line text={to ?? from ?? ""} />;
  if (field === "mergedInto")
    return to == null ? <>took this thread out of {name} again</> : <>merged this thread into {name}</>;
  return to == null ? <>took {name} out of this thread again</> : <>merged {name} into this thread</>;
};

const decisions: Readonly<Record<string, string>> = {
  approve: "approved the plan",
  reject: "rejected the plan",
  request_changes: "requested changes to the plan",
  recalled: "recalled the approval",
  expired: "ended the approval, because nobody used it in time",
  replaced: "replaced the plan with a newer one",
};

const Change = ({
  what,
  from,
  to,
}: {
  readonly what: string;
  readonly from: string;
  readonly to: string;
}) => (
  <>
    changed the {what}: <Line text={from === "" ? "none" : from} /> <span aria-hidden="true">→</span>
    <span class="unseen">to</span> <Line text={to === "" ? "none" : to} />
  </>
);

const Assignment = ({ by, from, to }: Pick<Required<ThreadEvent>, "by" | "from" | "to">) => {
  if (to === null)
    return (
      <>
        removed the assignee <Person email={from ?? ""} />
      </>
    );
  if (to === by) return <>assigned the thread to themselves</>;
  return (
    <>
      assigned the thread to <Person email={to} />
    </>
  );
};

/** The tags that were added and removed. The audit has each list of tags as one text. */
const Tags = ({ from, to }: Pick<Required<ThreadEvent>, "from" | "to">) => {
  const [before, after] = [namesIn(from), namesIn(to)];
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  const parts = [
    ...(added.length > 0
      ? [{ words: added.length === 1 ? "added the tag" : "added the tags", of: added }]
      : []),
    ...(removed.length > 0
      ? [{ words: removed.length === 1 ? "removed the tag" : "removed the tags", of: removed }]
      : []),
  ];
  return (
    <>
      {parts.map(({ words, of }, at) => (
        <span key={words}>
          {at > 0 && " and "}
          {words} <Line text={of.join(", ")} />
        </span>
      ))}
    </>
  );
};

const namesIn = (list: string | null): string[] => (list === null ? [] : list.split(", "));
