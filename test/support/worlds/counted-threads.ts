import { v7 } from "uuid";
import type { Transaction } from "../../../server/database/database.ts";
import { runClaims } from "../../../server/feedback/agent-work/store/work.ts";
import { hiddenFeedback } from "../../../server/feedback/blocked-senders/store.ts";
import { messages } from "../../../server/feedback/messages/store.ts";
import { proposals } from "../../../server/feedback/proposals/store.ts";
import { updateThread } from "../../../server/feedback/threads/store/fields.ts";
import { removeThread } from "../../../server/feedback/threads/store/removal.ts";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import type { FeedbackType } from "../../../src/contract/feedback.ts";
import type { Statistics } from "../../../src/contract/statistics.ts";
import { randomFrom } from "../random-seed.ts";

/** The data of a thread for the simple computation. Times are milliseconds since 1970. */
export interface KnownThread {
  readonly id: string;
  type: string;
  readonly version: string | undefined;
  readonly createdAt: number;
  readonly repeats: number[];
  readonly replies: number[];
  /** The first reply of a thread that was merged, if it is not the first of `replies`. Null if it has none. */
  readonly firstReply?: number | null;
  resolvedAt: number | undefined;
  status: string;
  isDeleted: boolean;
  readonly runs: KnownRun[];
}

interface KnownRun {
  readonly createdAt: number;
  readonly decisions: string[];
  decidedAt: number | undefined;
  isClaimed: boolean;
  outcome: string | undefined;
}

const types: readonly FeedbackType[] = ["bug", "feature", "question", "general"];
const minute = 60_000;
const day = 1_440 * minute;

/** Metadata with the version of the app that counts, if any. */
const versions: readonly (readonly [string, string | undefined])[] = [
  ["{}", undefined],
  ['{"appVersion":"5.2.1"}', "5.2.1"],
  ['{"app_version":"v5.2.0 (118)"}', "5.2.0"],
  ['{"version":"5.1.4-beta.2+7"}', "5.1.4"],
  ['{"appVersion":"ada@example.org 1.2"}', undefined],
  ['{"appVersion":{"major":5}}', undefined],
  ['{"appVersion":2.4}', "2.4"],
  ['{"appVersion":"12345678901234567890.1"}', undefined],
];

/**
 * Creates threads with everything that the statistics count, at random times from `from` to `to`. Returns their data.
 */
export function createThreadMaker(
  appId: string,
  { seed, from, to }: { seed: number; from: number; to: number },
) {
  const random = randomFrom(seed);
  const whole = (below: number) => Math.floor(random() * below);
  const chance = (share: number) => random() < share;
  const pick = <T>(all: readonly [T, ...T[]] | readonly T[]): T => {
    const found = all[whole(all.length)];
    if (found === undefined) throw new Error("Nothing to pick");
    return found;
  };
  const text = (at: number) => new Date(at).toISOString();
  /** Most waiting times are short, and some are exactly a limit. */
  const wait = () => (chance(0.05) ? pick([60, 480, 1_440]) * minute : Math.floor(random() ** 4 * 40 * day));

  async function makeRun(tx: Transaction, thread: KnownThread, at: number): Promise<void> {
    const id = v7();
    await proposals.insert(tx, { id, feedbackId: thread.id, summary: "s", plan: "p", createdAt: text(at) });
    const run: KnownRun = {
      createdAt: at,
      decisions: [],
      decidedAt: undefined,
      isClaimed: false,
      outcome: undefined,
    };
    thread.runs.push(run);
    if (chance(0.1)) {
      await proposals.replace(tx, thread.id, { id: v7(), note: "n", at: text(at + minute) });
      return;
    }
    const decision = pick(["approve", "approve", "approve", "reject", "request_changes"] as const);
    const decidedAt = at + wait();
    const status = decision === "approve" ? "approved" : "rejected";
    const expiresAt = decision === "approve" && chance(0.3) ? text(decidedAt + day) : null;
    await proposals.decide(tx, id, {
      status,
      decision,
      note: null,
      at: text(decidedAt),
      by: null,
      expiresAt,
    });
    run.decisions.push(decision);
    run.decidedAt = decidedAt;
    if (decision !== "approve") return;
    if (expiresAt !== null && (await proposals.expire(tx, id, text(decidedAt + 2 * day)))) {
      run.decisions.push("expired");
      return;
    }
    for (let claims = whole(3); claims > 0; claims--) {
      const claimId = v7();
      const claim = { id: claimId, runId: id, userId: v7(), tokenId: v7(), worker: "w" };
      await runClaims.insert(tx, { ...claim, claimedAt: text(decidedAt) });
      run.isClaimed = true;
      if (claims > 1) await runClaims.release(tx, claimId, { at: text(decidedAt), by: null });
      else if (chance(0.7)) {
        run.outcome = pick(["succeeded", "failed"]);
        const outcome = { status: run.outcome, summary: "s", links: [], at: text(decidedAt + minute) };
        await runClaims.setOutcome(tx, claimId, outcome);
      }
    }
  }

  return async (tx: Transaction): Promise<KnownThread | undefined> => {
    const id = v7();
    const createdAt = from + whole(to - from);
    const [metadata, version] = pick(versions);
    const category = pick(types);
    const isHidden = chance(0.05);
    await feedbackThreads.insert(tx, {
      ...{ id, appId, subject: `Thread ${id}`, message: "m", category, source: null, senderName: null },
      ...{
        senderEmail: null,
        metadata,
        files: '{"images":[],"videos":[],"attachments":[]}',
        dedupeKey: null,
      },
      ...{ createdAt: text(createdAt), blockedBy: isHidden ? v7() : undefined },
    });
    if (isHidden && chance(0.5)) return undefined;
    if (isHidden) await hiddenFeedback.releaseReport(tx, id);
    const thread: KnownThread = {
      ...{ id, type: category, version, createdAt, repeats: [], replies: [] },
      ...{ resolvedAt: undefined, status: "open", isDeleted: false, runs: [] },
    };
    let at = createdAt;
    const later = () => {
      at += wait();
      return at;
    };
    for (let repeats = chance(0.1) ? whole(12) : 0; repeats > 0; repeats--) {
      const repeatId = v7();
      const direction = chance(0.1) ? "blocked" : "inbound";
      const repeat = {
        id: repeatId,
        feedbackId: id,
        direction,
        body: "b",
        createdAt: text(later()),
      } as const;
      const report = { category, subject: null, source: null, senderName: null, senderEmail: null };
      await messages.insertRepeat(tx, repeat, { ...report, metadata: "{}", files: "{}" });
      if (direction === "inbound") thread.repeats.push(at);
      else if (chance(0.5)) {
        await hiddenFeedback.releaseAnswer(tx, repeatId);
        thread.repeats.push(at);
      }
    }
    const message = (direction: "inbound" | "outbound" | "note") =>
      messages.insert(tx, { id: v7(), feedbackId: id, direction, body: "b", createdAt: text(later()) });
    if (chance(0.3)) await message("inbound");
    if (chance(0.3)) await message("note");
    for (let replies = chance(0.7) ? 1 + whole(3) : 0; replies > 0; replies--) {
      await message("outbound");
      thread.replies.push(at);
    }
    const change = async (wanted: {
      status?: "open" | "in_progress" | "resolved" | "archived";
      category?: FeedbackType;
    }) => {
      await updateThread(tx, id, { ...wanted, at: text(later()), by: v7() });
      if (wanted.category) thread.type = wanted.category;
      if (!wanted.status) return;
      if (wanted.status === "resolved" && thread.status !== "resolved") thread.resolvedAt = at;
      if (wanted.status === "open" || wanted.status === "in_progress") thread.resolvedAt = undefined;
      thread.status = wanted.status;
    };
    if (chance(0.1)) await change({ category: pick(types) });
    for (let changes = whole(5); changes > 0; changes--)
      await change({ status: pick(["open", "in_progress", "resolved", "resolved", "archived"]) });
    for (let made = chance(0.2) ? 1 + whole(2) : 0; made > 0; made--) await makeRun(tx, thread, later());
    if (chance(0.05)) {
      await removeThread(tx, id);
      thread.isDeleted = true;
    }
    return thread;
  };
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the day of an instant in a time zone, computed by Intl. */
function dayAt(at: number, zone: string): string {
  const format =
    dayFormats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  dayFormats.set(zone, format);
  return format.format(at);
}

type Numbers = Omit<Statistics, "from" | "to" | "zone" | "firstReply" | "agents" | "top"> & {
  readonly top: readonly Omit<Statistics["top"][number], "number">[];
  readonly within: Statistics["firstReply"]["within"];
  readonly none: number;
  readonly agents: Omit<Statistics["agents"], "medianDecisionMs">;
};

/** Computes the statistics from the created data, thread by thread. */
export function naiveNumbers(
  threads: readonly KnownThread[],
  {
    from,
    to,
    zone,
    now,
  }: { readonly from: string; readonly to: string; readonly zone: string; readonly now: number },
): Numbers {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += day)
    days.push(new Date(at).toISOString().slice(0, 10));
  const on = (times: readonly number[], wanted: string) =>
    times.filter((at) => dayAt(at, zone) === wanted).length;
  const isIn = (at: number | undefined) =>
    at !== undefined && dayAt(at, zone) >= from && dayAt(at, zone) <= to;
  const byDay = new Map(
    days.map((one) => [one, { threads: [], repeats: 0, resolved: 0, replies: 0 } as DayLog]),
  );
  const logAt = (at: number | undefined) => (at === undefined ? undefined : byDay.get(dayAt(at, zone)));
  for (const thread of threads) {
    logAt(thread.createdAt)?.threads.push(thread.type);
    for (const at of thread.repeats) add(logAt(at), "repeats");
    for (const at of thread.replies) add(logAt(at), "replies");
    add(logAt(thread.resolvedAt), "resolved");
  }
  const began = threads.filter(({ createdAt }) => isIn(createdAt));
  const waits = began.flatMap(({ createdAt, replies: [earliest], firstReply = earliest }) =>
    firstReply === undefined || firstReply === null ? [] : [firstReply - createdAt],
  );
  const within = (hours: number) => waits.filter((wait) => wait <= hours * 60 * minute).length;
  const runs = threads.flatMap((thread) => thread.runs).filter(({ createdAt }) => isIn(createdAt));
  const decided = (decision: string) => runs.filter(({ decisions }) => decisions.includes(decision)).length;
  const left = threads.filter(({ isDeleted }) => !isDeleted);
  const aged = (least: number, most: number) =>
    left.filter(
      ({ status, createdAt }) =>
        (status === "open" || status === "in_progress") &&
        now - createdAt >= least * day &&
        now - createdAt < most * day,
    ).length;
  const versionsIn = new Map<string, { reports: number; bugs: number }>();
  for (const { version, type } of began) {
    if (version === undefined) continue;
    const counts = versionsIn.get(version) ?? { reports: 0, bugs: 0 };
    versionsIn.set(version, { reports: counts.reports + 1, bugs: counts.bugs + (type === "bug" ? 1 : 0) });
  }
  return {
    perDay: [...byDay].map(([one, { threads: all, ...rest }]) => {
      const of = (type: string) => all.filter((other) => other === type).length;
      const counts = {
        bug: of("bug"),
        feature: of("feature"),
        question: of("question"),
        general: of("general"),
      };
      return { day: one, new: counts, ...rest };
    }),
    within: { "1h": within(1), "8h": within(8), "24h": within(24), "3d": within(72) },
    none: began.length - waits.length,
    openByAge: { "1d": aged(-1e6, 1), "7d": aged(1, 7), "30d": aged(7, 30), older: aged(30, 1e9) },
    top: left
      .map((thread) => ({ thread, again: thread.repeats.filter(isIn).length }))
      .filter(({ again }) => again > 0)
      .sort((one, other) => other.again - one.again || (one.thread.id < other.thread.id ? -1 : 1))
      .slice(0, 10)
      .map(({ thread: { id, createdAt, repeats } }) => {
        const counts = days.map((one) => on([createdAt, ...repeats], one));
        return {
          id,
          subject: `Thread ${id}`,
          count: counts.reduce((sum, one) => sum + one, 0),
          days: counts,
        };
      })
      .sort((one, other) => other.count - one.count),
    agents: {
      ...{ proposed: runs.length, approved: decided("approve"), rejected: decided("reject") },
      ...{ changed: decided("request_changes"), expired: decided("expired") },
      claimed: runs.filter(({ isClaimed }) => isClaimed).length,
      succeeded: runs.filter(({ outcome }) => outcome === "succeeded").length,
      failed: runs.filter(({ outcome }) => outcome === "failed").length,
    },
    versions: [...versionsIn]
      .map(([version, counts]) => ({ version, ...counts }))
      .sort((one, other) => other.reports - one.reports || (one.version < other.version ? 1 : -1))
      .slice(0, 20),
  };
}

interface DayLog {
  readonly threads: string[];
  repeats: number;
  resolved: number;
  replies: number;
}

function add(log: DayLog | undefined, what: "repeats" | "resolved" | "replies"): void {
  if (log) log[what] += 1;
}

/** Returns how long threads of a period waited for the first reply, or proposals of a period for a decision. */
export function naiveWaits(
  threads: readonly KnownThread[],
  { from, to, zone }: { readonly from: string; readonly to: string; readonly zone: string },
): { readonly replies: number[]; readonly decisions: number[] } {
  const isIn = (at: number) => dayAt(at, zone) >= from && dayAt(at, zone) <= to;
  return {
    replies: threads.flatMap(({ createdAt, replies: [first] }) =>
      isIn(createdAt) && first !== undefined ? [first - createdAt] : [],
    ),
    decisions: threads
      .flatMap(({ runs }) => runs)
      .flatMap(({ createdAt, decidedAt }) =>
        isIn(createdAt) && decidedAt !== undefined ? [decidedAt - createdAt] : [],
      ),
  };
}
