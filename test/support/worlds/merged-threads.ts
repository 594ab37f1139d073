import type { FeedbackType } from "../../../src/contract/feedback.ts";
import { randomFrom } from "../random-seed.ts";
import type { Service } from "../service/service.ts";
import type { KnownThread } from "./counted-threads.ts";
import type { Team } from "./members/team.ts";
import { sendFeedback } from "./owner-with-one-of-each.ts";

/** A report and its thread, as the simple computation knows it. */
interface Unit {
  readonly id: string;
  readonly type: FeedbackType;
  readonly createdAt: number;
  status: string;
  resolvedAt: number | undefined;
  into: Unit | undefined;
  /** Counts what happened in the thread, except assignees, tags and snoozes. */
  events: number;
  /** If its merge opened the other thread again: how that was, and its events just after the merge. */
  reopened:
    | { readonly status: string; readonly resolvedAt: number | undefined; readonly events: number }
    | undefined;
}

interface Reply {
  readonly at: number;
  readonly isToAll: boolean;
  /** The reports whose senders got it. */
  readonly got: ReadonlySet<Unit>;
  /** The threads in which it counts as written. */
  readonly homes: Set<Unit>;
}

const types = ["bug", "feature", "question", "general"] as const;
const minute = 60_000;
const isUnfinished = (status: string) => status === "open" || status === "in_progress";

/** Creates, answers, resolves, merges and unmerges threads by requests, at random. `known` returns what must be counted. */
export function createMerger(service: Service, team: Team, seed: number) {
  const random = randomFrom(seed);
  const whole = (below: number) => Math.floor(random() * below);
  const pick = <T>(all: readonly T[]): T | undefined => all[whole(all.length)];
  const units: Unit[] = [];
  const replies: Reply[] = [];
  const now = () => service.clock.now().getTime();
  const rootOf = (unit: Unit): Unit => (unit.into === undefined ? unit : rootOf(unit.into));
  const isIn = (unit: Unit, group: Unit): boolean =>
    unit === group || (unit.into !== undefined && isIn(unit.into, group));
  const inside = (group: Unit) => units.filter((unit) => isIn(unit, group));
  const roots = () => units.filter((unit) => unit.into === undefined);
  const must = async (method: string, path: string, body?: object) => {
    const answer = await team.call(method, `/feedback/${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  };

  async function send(): Promise<void> {
    const type = pick(types) ?? "bug";
    const id = await sendFeedback(service, team.app.key, { type });
    const fresh = { status: "open", resolvedAt: undefined, into: undefined, events: 0, reopened: undefined };
    units.push({ id, type, createdAt: now(), ...fresh });
  }

  async function reply(): Promise<void> {
    const root = pick(roots());
    if (root === undefined) return;
    const group = inside(root);
    const one = pick(group) ?? root;
    const isToAll = random() < 0.4;
    const to = isToAll ? { everyone: true } : { reportId: one.id };
    await must("POST", `${root.id}/messages`, { direction: "outbound", body: "We look.", ...to });
    replies.push({ at: now(), isToAll, got: new Set(isToAll ? group : [one]), homes: new Set([root]) });
    root.events += 1;
  }

  async function change(): Promise<void> {
    const root = pick(roots());
    const status = pick(["open", "in_progress", "resolved", "resolved", "archived"]) ?? "open";
    if (root === undefined || root.status === status) return;
    await must("PATCH", root.id, { status });
    if (status === "resolved") root.resolvedAt = now();
    if (isUnfinished(status)) root.resolvedAt = undefined;
    root.status = status;
    root.events += 1;
  }

  async function merge(): Promise<void> {
    const [unit, into] = [pick(roots()), pick(roots())];
    if (unit === undefined || into === undefined || unit === into) return;
    await must("POST", `${unit.id}/merge`, { into: into.id });
    unit.into = into;
    into.events += 1;
    unit.reopened = undefined;
    if (!isUnfinished(unit.status) || isUnfinished(into.status)) return;
    const { status, resolvedAt, events } = into;
    unit.reopened = { status, resolvedAt, events };
    into.status = "open";
    into.resolvedAt = undefined;
  }

  async function unmerge(): Promise<void> {
    const unit = pick(units.filter(({ into }) => into !== undefined));
    if (unit?.into === undefined) return;
    const root = rootOf(unit);
    await must("POST", `${unit.id}/unmerge`);
    const leaving = new Set(inside(unit));
    for (const { isToAll, got, homes } of replies) {
      const isOutside = [...homes].some((home) => !leaving.has(home));
      if (!isOutside || ![...leaving].some((one) => (isToAll ? one === unit : true) && got.has(one)))
        continue;
      if (!isToAll) homes.clear();
      homes.add(unit);
    }
    const { reopened } = unit;
    if (reopened !== undefined && unit.into === root && reopened.events === root.events) {
      root.status = reopened.status;
      root.resolvedAt = reopened.resolvedAt;
    }
    root.events += 1;
    unit.into = undefined;
    unit.events += 1;
  }

  const acts = [send, reply, reply, change, merge, merge, unmerge];

  return {
    /** Does something after up to an hour and a half. */
    async act(): Promise<void> {
      service.clock.advance(whole(90 * minute));
      await (units.length < 6 ? send : (pick(acts) ?? send))();
    },
    known(): KnownThread[] {
      return roots().map((root, place) => ({
        ...{ id: root.id, type: root.type, version: undefined, createdAt: root.createdAt },
        repeats: inside(root).flatMap((unit) => (unit === root ? [] : [unit.createdAt])),
        replies: place === 0 ? replies.map(({ at }) => at) : [],
        firstReply: replies.find(({ homes }) => homes.has(root))?.at ?? null,
        ...{ resolvedAt: root.resolvedAt, status: root.status, isDeleted: false, runs: [] },
      }));
    },
  };
}
