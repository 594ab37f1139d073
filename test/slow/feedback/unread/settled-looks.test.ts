import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../server/database/database.ts";
import { hiddenFeedback } from "../../../../server/feedback/blocked-senders/store.ts";
import { settling } from "../../../../server/feedback/unread/rules.ts";
import { unreadCounts } from "../../../../server/feedback/unread/store/news.ts";
import { isUnread, noteActivity, threadViews } from "../../../../server/feedback/unread/store/read-marks.ts";
import { databases } from "../../../support/database/databases.ts";
import { fc } from "../../../support/property.ts";
import { type Service, startService } from "../../../support/service/service.ts";

const began = Date.UTC(2026, 0, 1);
const threads = 130;
const numbers = [...Array(threads).keys()];
const isHidden = (n: number): boolean => n % 10 === 0;

/** An action on a thread: by others, by the member, or the sender of a hidden thread is unblocked. */
type Act = readonly [kind: "activity" | "read" | "unread" | "open" | "own act" | "release", thread: number];

const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act[0][]>("activity", "read", "read", "unread", "open", "open", "own act", "release"),
    fc.nat(threads - 1),
  ),
  { minLength: 40, maxLength: 120 },
);

describe.each(databases)("threads that a member has read separately on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  /** An app with threads a minute apart, every tenth of a blocked sender. Its owner has read nothing. */
  async function makeThreads() {
    const owner = await service.makeUser();
    const { id: appId } = await service.makeApp(owner);
    const { database } = service.deps;
    await database.write(async (tx) => {
      await tx.run("UPDATE app_members SET read_until = ? WHERE app_id = ?", timeOf(0), appId);
      for (const n of numbers)
        await tx.insert("feedback", {
          ...{
            id: `${appId} ${n}`,
            app_id: appId,
            subject: "It broke",
            message: "It broke.",
            category: "bug",
          },
          ...{ metadata: "{}", files: "{}", occurrences: 1, indexed: 1, activity_count: 1 },
          ...{ status: isHidden(n) ? "blocked" : "open", created_at: timeOf(n + 1) },
        });
    });
    return { database, member: { appId, userId: owner.id } };
  }

  type World = Awaited<ReturnType<typeof makeThreads>>;

  const unreadOf = async ({ database, member: { appId, userId } }: World) => {
    const rows = await database.all<{ id: string }>(
      `SELECT f.id FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ?
       WHERE f.app_id = ? AND f.status <> 'blocked' AND ${isUnread}`,
      ...[userId, appId],
    );
    return rows.map(({ id }) => id).toSorted();
  };

  const countOf = async ({ database, member }: World) =>
    (await unreadCounts(database, member.userId)).map(({ unread }) => unread);

  const readAllBut = async ({ database, member }: World, unread: number) => {
    for (const n of numbers.filter((n) => !isHidden(n) && n !== unread))
      await database.write((tx) =>
        threadViews.mark(tx, { ...member, feedbackId: idOf({ database, member }, n) }, true),
      );
  };

  it("stay read, and all other threads stay unread, when older views are combined", async () => {
    let settled = 0;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(numbers, { minLength: 90 }), acts, async (read, list) => {
        const world = await makeThreads();
        const unread = new Set(numbers.filter((n) => !isHidden(n)));
        const hidden = new Set(numbers.filter(isHidden));
        const all: Act[] = [...read.map((n): Act => ["read", n]), ...list];
        for (const [at, act] of all.entries()) await apply(world, act, { at, unread, hidden });
        const wanted = [...unread].map((n) => `${world.member.appId} ${n}`).toSorted();
        expect(await unreadOf(world)).toEqual(wanted);
        expect(await countOf(world)).toEqual([Math.min(100, wanted.length)]);
        if ((await readUntilOf(world)) > timeOf(0)) settled += 1;
      }),
      { numRuns: 12 },
    );
    expect(settled).toBeGreaterThan(0);
  });

  it("need few rows after older views are combined, if few of the other threads are unread", async () => {
    const world = await makeThreads();
    await readAllBut(world, 5);
    expect((await readUntilOf(world)) > timeOf(threads - 2 * settling.most)).toBe(true);
    expect(await unreadOf(world)).toEqual([idOf(world, 5)]);
  });

  it("show everything as new on a thread that was never opened, even if the thread is older than the combined views", async () => {
    const world = await makeThreads();
    await readAllBut(world, 5);
    expect(await threadViews.find(world.database, idOf(world, 5), world.member.userId)).toMatchObject({
      ...{ seenCount: -1, lookedAt: null, coveredUntil: null },
    });
  });
});

interface Model {
  readonly at: number;
  readonly unread: Set<number>;
  readonly hidden: Set<number>;
}

type Changed = {
  readonly database: Database;
  readonly member: { readonly appId: string; readonly userId: string };
};

/** Does an action, and records what is unread then. */
async function apply(world: Changed, [kind, n]: Act, { at, unread, hidden }: Model): Promise<void> {
  const { database, member } = world;
  const feedbackId = idOf(world, n);
  const now = timeOf(threads + at);
  if (kind === "release") {
    if (!hidden.delete(n)) return;
    unread.add(n);
    return database.write((tx) => hiddenFeedback.releaseReport(tx, feedbackId));
  }
  if (hidden.has(n)) return;
  if (kind === "activity") unread.add(n);
  if (kind === "unread") unread.add(n);
  if (kind === "read" || kind === "open") unread.delete(n);
  await database.write(async (tx) => {
    if (kind === "activity") await noteActivity(tx, feedbackId, { at: now });
    if (kind === "own act") await noteActivity(tx, feedbackId, { at: now, by: member.userId });
    if (kind === "read" || kind === "unread")
      await threadViews.mark(tx, { ...member, feedbackId }, kind === "read");
    if (kind !== "open") return;
    const row = await threadViews.find(tx, feedbackId, member.userId);
    if (row) await threadViews.note(tx, { ...row, at: now, sinceAt: null });
  });
}

const timeOf = (minute: number): string => new Date(began + minute * 60_000).toISOString();
const idOf = ({ member }: Changed, n: number): string => `${member.appId} ${n}`;

async function readUntilOf({ database, member }: Changed): Promise<string> {
  const row = await database.get<{ at: string }>(
    "SELECT read_until AS at FROM app_members WHERE app_id = ? AND user_id = ?",
    ...[member.appId, member.userId],
  );
  return row?.at ?? "";
}
