import type { AuditChange } from "../../../src/contract/audit.ts";
import type { failures as contract, GreenRun } from "../../../src/contract/feedback.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import { byServerClock } from "../../clock.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import { messages } from "../messages/store.ts";
import { threadUrl } from "../threads/answer.ts";
import { recordThreadChange } from "../threads/change.ts";
import { changeableOf, updateThread } from "../threads/store/fields.ts";
import { partTest, passedFailures, passedNote } from "./rules.ts";
import { type Failure, failures as rows } from "./store.ts";

export function failures(deps: Pick<Deps, "clock" | "newId" | "settings">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    resolve: ({ caller, address, params: { appId }, body, clockAhead, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const pass = passOf(deps, appId, { ...body, clockAhead });
        const { passed, summaries } = passedFailures(await rows.failingIn(tx, pass), body.passed);
        const resolved: NamedFailure[] = [];
        const stillFailing: FailureWithScopes[] = [];
        const partHasPassed = partTest(body.passed);
        const summed = summaries.map((failure) => ({ failure, partHasPassed }));
        const whole = passed.slice(0, limits.resolvedAtOnce).map((failure) => ({ failure }));
        for (const passing of inOrder([...whole, ...summed])) {
          const passedNow = await passIn(tx, pass, passing);
          if (passedNow === undefined) continue;
          const { id, scopes } = passedNow;
          const named = { ...passing.failure, id, consoleUrl: threadUrl(deps.settings, appId, id) };
          if (scopes.length > 0) {
            stillFailing.push({ ...named, scopes, reportedLater: false });
            continue;
          }
          const changes = await resolve(deps, tx, pass, id, caller.userId);
          await record(tx, { caller, address }, { action: "thread.resolve", appId, target: id, changes });
          resolved.push(named);
        }
        const more = passed.length > limits.resolvedAtOnce;
        const untouched = more ? [] : await untouchedFailures(tx, pass, body.passed);
        const listed = new Set(stillFailing.map(({ id }) => id));
        for (const failure of untouched.filter(({ id }) => !listed.has(id)))
          stillFailing.push({ ...failure, consoleUrl: threadUrl(deps.settings, appId, failure.id) });
        // A thread with several failures may be in `stillFailing` and in `resolved`. The answer lists the
        // thread as resolved.
        const done = new Set(resolved.map(({ id }) => id));
        return { resolved, stillFailing: stillFailing.filter(({ id }) => !done.has(id)), more };
      }),
  };
}

interface Passing {
  readonly failure: Failure;
  /**
   * Returns whether the test with the key prefix `part` passed. Only set if `failure` summarizes many tests.
   */
  readonly partHasPassed?: (part: string) => boolean;
}

/** Sorts the failures, so that two runs at the same time lock them in the same order. */
const inOrder = (all: readonly Passing[]): Passing[] =>
  [...all].sort((one, other) => (one.failure.dedupeKey < other.failure.dedupeKey ? -1 : 1));

type NamedFailure = Failure & { readonly consoleUrl: string };
interface RemainingScopes {
  readonly scopes: string[];
  readonly reportedLater: boolean;
}
type FailureWithScopes = NamedFailure & RemainingScopes;

/**
 * Returns failures whose tests passed, but that stay open because of reports from other scopes or later
 * reports. (rule F25)
 */
async function untouchedFailures(
  tx: Transaction,
  { appId, scope }: Pass,
  named: GreenRun["passed"],
): Promise<(Failure & RemainingScopes)[]> {
  const failing = await rows.failingAnywhere(tx, appId);
  const scopesById = new Map<string, string[]>();
  for (const { id, scope } of failing) {
    const scopes = scopesById.get(id);
    if (scopes) scopes.push(scope);
    else scopesById.set(id, [scope]);
  }
  const byId = new Map(failing.map((failure) => [failure.id, failure]));
  const { passed } = passedFailures([...byId.values()], named);
  return passed.slice(0, limits.resolvedAtOnce).map((failure) => {
    const scopes = scopesById.get(failure.id) ?? [];
    return { ...failure, scopes, reportedLater: scopes.includes(scope) };
  });
}

interface Pass {
  readonly appId: string;
  readonly scope: string;
  readonly run: string;
  readonly runUrl: string | undefined;
  readonly startedAt: string;
  readonly passedAt: string;
}

function passOf(
  { clock }: Pick<Deps, "clock">,
  appId: string,
  given: GreenRun & Pick<Request, "clockAhead">,
): Pass {
  const passedAt = clock.now().toISOString();
  const { scope, run, runUrl, clockAhead } = given;
  const startedAt = given.startedAt ? byServerClock(given.startedAt, clockAhead) : passedAt;
  return { appId, scope: scope || "", run, runUrl, startedAt, passedAt };
}

/**
 * Stores that a failure passed, or that some tests in its summary passed. Returns undefined if nothing changed.
 */
async function passIn(
  tx: Transaction,
  pass: Pass,
  { failure: { failureId, dedupeKey }, partHasPassed }: Passing,
): Promise<{ readonly id: string; readonly scopes: string[] } | undefined> {
  await rows.lock(tx, pass.appId, dedupeKey);
  const scope = { ...pass, feedbackId: failureId };
  const isNews = partHasPassed ? await rows.passParts(tx, scope, partHasPassed) : await rows.pass(tx, scope);
  if (!isNews) return undefined;
  const id = await rows.threadOf(tx, failureId);
  return { id, scopes: await rows.failingScopes(tx, id) };
}

async function resolve(
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  pass: Pass,
  id: string,
  by: string,
): Promise<readonly AuditChange[]> {
  await messages.lock(tx, id);
  const changes = changesBetween(await changeableOf(tx, id), { status: "resolved" });
  await updateThread(tx, id, { status: "resolved", at: pass.passedAt, by });
  const thread = { id, appId: pass.appId, at: pass.passedAt };
  await recordThreadChange({ newId }, tx, { ...thread, fields: ["status"], status: "resolved" });
  const note = {
    direction: "note",
    author: "team",
    authorId: by,
    body: passedNote(pass),
    createdAt: pass.passedAt,
  } as const;
  await messages.insert(tx, { id: newId(), feedbackId: id, ...note });
  return changes;
}
