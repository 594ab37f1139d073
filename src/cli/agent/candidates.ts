import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { pollUntil } from "../../client/wait.ts";
import type { FoundThread, Waiting } from "../../contract/find-work.ts";
import { limits } from "../../contract/limits.ts";
import { isId } from "../core/app-id.ts";
import type { Context } from "../core/context.ts";
import { askingList } from "./lacking.ts";
import { patiently, pauses } from "./patiently.ts";

export interface Search {
  readonly client: Pick<Client, "agent">;
  readonly context: Pick<Context, "clock" | "signal">;
  /** Only the threads of this app, by id or name. */
  readonly app: string | undefined;
}

/** The proposals that wait for a worker, and then each that comes, for ever. Survives a server that is away. */
export async function* approvedRuns(search: Search): AsyncGenerator<string, never> {
  for (;;) {
    const { runs, changes } = await listed(search);
    yield* runs;
    let last: string | undefined = changes;
    while (last !== undefined) {
      const page = await changedAfter(search, last);
      yield* runsIn(search, page?.items ?? []);
      last = page?.changes ?? undefined;
    }
  }
}

async function listed(search: Search) {
  const runs: string[] = [];
  let changes: string | undefined;
  let cursor: string | undefined;
  do {
    const page = await patiently(search.context, () =>
      ask(search, { waiting: "approved", cursor, limit: "50" }),
    );
    runs.push(...runsIn(search, page.items));
    changes ??= page.changes ?? undefined;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { runs, changes };
}

/** What changed since; undefined if the server no longer knows since when. Waits until something has changed. */
async function changedAfter(search: Search, token: string) {
  const { clock, signal } = search.context;
  let changes = token;
  try {
    const result = await pollUntil(
      {
        async ask(hold) {
          const wait = hold > 0 ? String(hold) : undefined;
          const page = await ask(search, { waiting: "approved", changedAfter: changes, wait });
          changes = page.changes ?? changes;
          return { ...page, changes };
        },
        holdSeconds: () => limits.waitSeconds,
        leftMs: () => Number.POSITIVE_INFINITY,
        pauses,
        clock,
        signal,
      },
      ({ items }) => items.length > 0,
    );
    return "value" in result ? result.value : undefined;
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) return undefined;
    throw error;
  }
}

interface Question {
  readonly waiting: Waiting;
  readonly cursor?: string | undefined;
  readonly limit?: string;
  readonly changedAfter?: string;
  readonly wait?: string | undefined;
}

const ask = ({ client, context: { signal }, app }: Search, query: Question) =>
  askingList(() =>
    client.agent.listFeedback({ query: { ...query, appId: app && isId(app) ? app : undefined }, signal }),
  );

const runsIn = ({ app }: Search, items: readonly FoundThread[]): string[] =>
  items
    .filter((item) => app === undefined || [item.app.id, item.app.name].includes(app))
    .flatMap(({ runId }) => runId ?? []);
