import type { NoticeWay } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { sendsMail } from "../../mail/outgoing/queue.ts";
import { choicesOf } from "../choices/rules.ts";
import { type MemberRow, noticeChoices, quietHoursOf } from "../choices/store.ts";
import { dueAt } from "../mails/rules.ts";
import { notices } from "../mails/store.ts";
import { noteOngoing } from "./record.ts";
import {
  type Candidate,
  type Circumstances,
  onceADay,
  type Receiver,
  receiversOf,
  silentMilliseconds,
} from "./rules.ts";
import { type Cause, circumstances, noticeCauses } from "./store.ts";

type TellDeps = Pick<Deps, "clock" | "database" | "newId" | "settings">;

const atOnce = 100;

const [hour, day] = [3_600_000, 86_400_000];

/** More repeats than any member can choose as the limit of a storm are not counted. */
const mostRepeats = 10_001;

/** Finds out whom to tell about what has happened, and notes that. Returns the number of causes. (rule N2) */
export async function tellCauses(deps: TellDeps): Promise<number> {
  const { database } = deps;
  const causes = await noticeCauses.oldest(database, atOnce);
  for (const { id } of causes) {
    await database.write(async (tx) => {
      const cause = await noticeCauses.take(tx, id);
      if (cause) await tell(deps, tx, cause);
    });
  }
  return causes.length;
}

/** Notes the workers that have said nothing for an hour. Each silence is noted once. (rule N2) */
export async function noteSilentWorkers({ clock, database }: TellDeps): Promise<void> {
  const now = clock.now();
  const before = new Date(now.getTime() - silentMilliseconds).toISOString();
  if (!(await circumstances.hasSilent(database, before))) return;
  await database.write(async (tx) => {
    for (const { runId } of await circumstances.silent(tx, before, atOnce)) {
      const place = await circumstances.placeOfRun(tx, runId);
      if (place) await noteOngoing(tx, { ...place, kind: "work", subjectId: runId, at: now.toISOString() });
    }
  });
}

/** Notes whom to tell about one cause. */
async function tell(deps: TellDeps, tx: Transaction, cause: Cause): Promise<void> {
  const now = deps.clock.now();
  const happened = await circumstancesOf(tx, cause, now);
  if (happened === undefined) return;
  const members = (await noticeChoices.members(tx, cause.appId)).map((member) => ({
    ...member,
    choices: choicesOf(member.choices),
  }));
  for (const receiver of receiversOf(members, happened))
    for (const way of receiver.ways) await note(deps, tx, { cause, receiver, way, now });
}

/** Returns what must be known about a cause; undefined if it is out of date, so that nobody is told. */
async function circumstancesOf(
  reader: Reader,
  { kind, subjectId, feedbackId, actorId }: Cause,
  now: Date,
): Promise<Circumstances | undefined> {
  const thread = feedbackId === null ? undefined : await circumstances.thread(reader, feedbackId);
  if (feedbackId !== null && thread === undefined) return undefined;
  const known = { kind, actorId, assigneeId: thread?.assigneeId ?? null, deciderId: null, repeats: 0 };
  switch (kind) {
    case "storm": {
      const since = new Date(now.getTime() - hour).toISOString();
      return { ...known, repeats: await circumstances.repeats(reader, subjectId, since, mostRepeats) };
    }
    case "testers": {
      const test = await circumstances.testers(reader, subjectId);
      return test !== undefined && test.testers < test.seats ? known : undefined;
    }
    case "proposal": {
      const run = await circumstances.run(reader, subjectId);
      return run?.status === "awaiting_approval" ? known : undefined;
    }
    case "approval":
    case "work":
      return { ...known, deciderId: (await circumstances.run(reader, subjectId))?.deciderId ?? null };
    default:
      return known;
  }
}

interface Noting {
  readonly cause: Cause;
  readonly receiver: Receiver<Omit<MemberRow, "choices"> & Candidate>;
  readonly way: NoticeWay;
  readonly now: Date;
}

/** Notes a notice of a member. It joins what already waits to be sent in the same mail. */
async function note(
  { newId, settings }: TellDeps,
  tx: Transaction,
  { cause: { appId, subjectId, feedbackId }, receiver: { member, kind }, way, now }: Noting,
): Promise<void> {
  const { userId, timezone, emailVerifiedAt } = member;
  if (!sendsMail(settings) || emailVerifiedAt === null) return;
  if (onceADay.has(kind)) {
    const since = new Date(now.getTime() - day).toISOString();
    if (await notices.wasTold(tx, { userId, way, kind, subjectId, since })) return;
  }
  const waiting = await notices.waitingUntil(tx, { userId, appId, way });
  const hours = { timezone, quiet: quietHoursOf(member) };
  await notices.insert(tx, {
    ...{ id: newId(), userId, appId, way, kind, subjectId, feedbackId },
    createdAt: now.toISOString(),
    dueAt: waiting ?? dueAt(way, now, hours).toISOString(),
  });
}
