import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { limits } from "../../contract/limits.ts";
import { appIdOf } from "../core/app-id.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { DryRun, type RequestView } from "../core/dry-run.ts";
import type { Passed } from "./passed-tests.ts";

/** What a request says about a run. */
export interface PassingRun {
  readonly scope: string | undefined;
  readonly run: string;
  readonly runUrl: string | undefined;
  readonly startedAt: string | undefined;
}

type Answer = Awaited<ReturnType<Client["failures"]["resolve"]>>;
export type Resolved = Omit<Answer, "more">;

/** Reports to the server what passed, in as many requests as its limits ask for. */
export async function resolvePassed(
  invocation: Invocation,
  run: PassingRun,
  passed: readonly Passed[],
): Promise<Resolved> {
  const appId = await appIdOf(invocation);
  const all: { resolved: Answer["resolved"]; stillFailing: Answer["stillFailing"] } = {
    resolved: [],
    stillFailing: [],
  };
  const nextKey = keysOf(invocation);
  for (const part of parts(passed)) {
    const [namedResolved, namedFailing] = [new Set<string>(), new Set<string>()];
    for (let more = true; more; ) {
      const answer = await ask(invocation, {
        params: { appId },
        body: { ...run, passed: part },
        idempotencyKey: nextKey(),
      });
      const resolved = newIn(answer.resolved, namedResolved);
      const stillFailing = newIn(answer.stillFailing, namedFailing);
      all.resolved.push(...resolved);
      all.stillFailing.push(...stillFailing);
      more = answer.more && resolved.length + stillFailing.length > 0;
    }
  }
  return all;
}

/** The requests that a dry run would send first: what each answers decides whether a part is asked about again. */
export async function requestsOf(
  invocation: Invocation,
  run: PassingRun,
  passed: readonly Passed[],
): Promise<RequestView[]> {
  const appId = await appIdOf(invocation);
  const nextKey = keysOf(invocation);
  const requests: RequestView[] = [];
  for (const part of parts(passed)) {
    const input = { params: { appId }, body: { ...run, passed: part }, idempotencyKey: nextKey() };
    try {
      await ask(invocation, input);
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      requests.push(error.request);
    }
  }
  return requests;
}

/** The threads that no earlier answer to these tests named, so that a faulty server cannot keep the command asking. */
function newIn<Thread extends { readonly consoleUrl: string }>(
  threads: readonly Thread[],
  named: Set<string>,
): Thread[] {
  return threads.filter(({ consoleUrl }) => {
    const isNew = !named.has(consoleUrl);
    named.add(consoleUrl);
    return isNew;
  });
}

async function ask(
  invocation: Invocation,
  input: Parameters<Client["failures"]["resolve"]>[0],
): Promise<Answer> {
  try {
    return await invocation.client().failures.resolve(input);
  } catch (error) {
    if (error instanceof ServerError && [404, 405, 501].includes(error.status))
      throw notThere(error, input.params.appId);
    throw error;
  }
}

const notThere = ({ status, code }: ServerError, appId: string): CliError =>
  new CliError({
    exit: "notFound",
    code,
    message: `This server has no app ${appId}, or it cannot resolve failures: an older Innkeep or another program answers there.`,
    status,
  });

/** A further request needs a key of its own. */
function keysOf({ flags: { idempotencyKey } }: Invocation): () => string | undefined {
  let count = 0;
  return () => {
    count += 1;
    return idempotencyKey === undefined || count === 1 ? idempotencyKey : `${idempotencyKey}-${count}`;
  };
}

// Leaves room for the rest of the body.
const mostBytes = limits.json - 16_384;

/** The list in parts that fit into one request each. */
function parts(passed: readonly Passed[]): Passed[][] {
  const all: Passed[][] = [];
  let part: Passed[] = [];
  let bytes = 0;
  for (const one of passed) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (part.length === limits.passedFailures || bytes + size > mostBytes) {
      all.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(one);
    bytes += size;
  }
  return [...all, part];
}
