import type { Role } from "../../../src/contract/endpoint.ts";
import type { EventType } from "../../../src/contract/events.ts";
import type { NoticeKind, NoticeWay, OwnWay } from "../../../src/contract/notices.ts";
import { type Choices, defaultStorm, mayGet, waysOf } from "../choices/rules.ts";

/** The part of an event that notices need. */
export interface EventFacts {
  readonly type: EventType;
  readonly subjectId: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The kind of the notice about an event, and the objects that it is about. */
interface About {
  readonly kind: NoticeKind;
  readonly subjectId: string;
  readonly feedbackId: string | null;
}

/** Returns the kind and the objects of the notice about an event; undefined if there is no notice. (rule N1) */
export function aboutEvent({ type, subjectId, facts }: EventFacts): About | undefined {
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : null);
  const ofThread = (kind: NoticeKind) => ({ kind, subjectId, feedbackId: subjectId });
  const ofRun = (kind: NoticeKind) => ({ kind, subjectId, feedbackId: text("feedbackId") });
  const ofCycle = (kind: NoticeKind) => ({ kind, subjectId: text("cycleId") ?? subjectId, feedbackId: null });
  switch (type) {
    case "feedback.created":
      return ofThread("report");
    case "feedback.replied":
      return facts.from === "sender" ? ofThread("answer") : undefined;
    case "feedback.changed":
      return Array.isArray(facts.fields) && facts.fields.includes("assignee")
        ? ofThread("assigned")
        : undefined;
    case "run.proposed":
      return ofRun("proposal");
    case "run.decided":
      return facts.decision === "expired" ? ofRun("approval") : undefined;
    case "run.finished":
      return facts.outcome === "failed" ? ofRun("work") : undefined;
    case "seat.requested":
      return ofCycle("slot");
    case "seat.removed":
    case "cycle.started":
      return ofCycle("testers");
    default:
      return undefined;
  }
}

/** A member who may get a notice. */
export interface Candidate {
  readonly userId: string;
  readonly role: Role;
  readonly choices: Choices;
  readonly stormPerHour: number | null;
}

/** The data that decides who gets a notice. */
export interface Circumstances {
  readonly kind: NoticeKind;
  /** The account that caused the event. */
  readonly actorId: string | null;
  /** The member to whom the thread is assigned. */
  readonly assigneeId: string | null;
  /** The account that approved the proposal. */
  readonly deciderId: string | null;
  /** How often the failure was reported within the last hour. */
  readonly repeats: number;
}

/** A member who gets a notice, the kind of the notice, and the ways in which the notice is sent. */
export interface Receiver<Member extends Candidate> {
  readonly member: Member;
  readonly kind: NoticeKind;
  readonly ways: readonly NoticeWay[];
}

/**
 * Returns the members who get a notice, and the ways to send it. Leaves out the person who acted.
 * (rules N1, N2)
 */
export function receiversOf<Member extends Candidate>(
  members: readonly Member[],
  happened: Circumstances,
): Receiver<Member>[] {
  const kind = kindFor(members, happened);
  const only = onlyOne(members, happened, kind);
  return members
    .filter(({ userId }) => userId !== happened.actorId && (only === undefined || userId === only))
    .filter(({ stormPerHour }) => kind !== "storm" || happened.repeats >= (stormPerHour ?? defaultStorm))
    .map((member) => ({ member, kind, ways: waysOf(member.role, kind, member.choices) }))
    .filter(({ ways }) => ways.length > 0);
}

/** Returns the kind of the notice. An answer gets the kind `report` if no assignee may get the notice. */
const kindFor = (
  members: readonly Candidate[],
  { kind, assigneeId }: Pick<Circumstances, "kind" | "assigneeId">,
): NoticeKind => (kind === "answer" && !isMember(members, assigneeId, kind) ? "report" : kind);

const isMember = (members: readonly Candidate[], id: string | null, kind: NoticeKind): boolean =>
  members.some(({ userId, role }) => userId === id && mayGet(role, kind));

/** Returns the id of the only receiver; undefined if all members may get the notice, null if nobody may. */
function onlyOne(
  members: readonly Candidate[],
  { assigneeId, deciderId }: Pick<Circumstances, "assigneeId" | "deciderId">,
  kind: NoticeKind,
): string | null | undefined {
  if (kind === "answer" || kind === "assigned") return assigneeId;
  if (kind !== "approval" && kind !== "work") return undefined;
  // If the person who decided may not decide any more, all members who may decide get the notice.
  return isMember(members, deciderId, kind) ? deciderId : undefined;
}

/** If this many notices of one kind wait, further notices are only counted. (rules N3, N10) */
export const mostWaiting: Readonly<Record<OwnWay, number>> = { mail: 100, daily: 100, browser: 20 };

/** The kinds of notices that a member gets at most once a day about the same object. (rule N2) */
export const onceADay: ReadonlySet<NoticeKind> = new Set<NoticeKind>(["storm", "testers", "delivery"]);

/** If a worker has not reported for this time, members get a notice that it is silent. (rule N2) */
export const silentMilliseconds = 3_600_000;

/** After this many failed attempts of one delivery (about 35 minutes), owners get a notice. (rule N2) */
export const failingTries = 4;
