import { isCiJob } from "../../core/ci/ci-environment.ts";
import { CliError } from "../../core/failures/cli-error.ts";
import type { Invocation } from "../../core/program/context.ts";
import type { FaqApi, TaggedList } from "../faq-api.ts";
import { earlierVersions } from "./earlier.ts";
import { conflictsIn, type Item, type PlanInput, planOf } from "./plan.ts";
import { type CheckedSource, readSource } from "./source/source.ts";
import { nothingSeen, readState, type SeenState } from "./source/state.ts";
import { takesOf } from "./takes.ts";

/** The files of this machine, and what they know of the server. */
export interface Checkout {
  readonly invocation: Invocation;
  readonly source: CheckedSource;
  readonly seen: SeenState;
  /** The id of the app; undefined with an app key. */
  readonly app: string | undefined;
  readonly isCi: boolean;
}

/** Reads files and state. Throws one usage error that names every fault of the files. */
export async function openCheckout(
  invocation: Invocation,
  path: string,
  { api, mustHave }: { readonly api: FaqApi; readonly mustHave: boolean },
): Promise<Checkout> {
  const source = await readSource(invocation.context, path, { mustHave });
  // Without files there is nothing that this folder could have seen: a pull brings everything.
  const seen = source.entries.length === 0 ? nothingSeen : await readState(source.statePlace);
  return { invocation, source, seen, app: await api.app(), isCi: isCiJob(invocation.context.env) };
}

/** The flags that change a plan. */
export interface PlanFlags {
  readonly prune?: boolean;
  readonly take?: readonly string[];
}

/** Compares a checkout with the server's list. Throws a usage error for a `--take` that names no entry. */
export async function compare(
  { source, seen, invocation }: Checkout,
  list: TaggedList,
  { prune = false, take, filesRule }: PlanFlags & Pick<PlanInput, "filesRule">,
): Promise<Item[]> {
  const ids = [...list.entries, ...source.entries].flatMap(({ id }) => id ?? []);
  const takes = takesOf(take, [...ids, ...seen.entries.keys()]);
  const input = {
    entries: source.entries,
    server: list.entries,
    seen: seen.entries,
    ...{ filesRule, prune, takes },
  };
  const items = planOf(input);
  if (list.keepsMarks) return items;
  const doubtful = items.filter(({ action }) => action === "conflict" || (filesRule && action === "newer"));
  if (doubtful.length === 0) return items;
  return planOf({ ...input, earlier: await earlierVersions(invocation.context.cwd, doubtful) });
}

/** Throws a CliError if the files were pulled from another app, or share no entry with this server's list. */
export function assertSameApp({ source, seen, invocation, app }: Checkout, list: TaggedList): void {
  const here = invocation.baseUrl();
  const ids = source.entries.flatMap(({ id }) => id ?? []);
  const known = new Set(list.entries.map(({ id }) => id));
  if (ids.length === 0 || ids.some((id) => known.has(id))) return;
  const isOtherApp = seen.app !== undefined && app !== undefined && seen.app !== app;
  const isOtherServer = seen.server !== undefined && seen.server !== here;
  if (!isOtherApp && !isOtherServer) return;
  throw new CliError({
    exit: "conflict",
    code: "other_app",
    message: `${source.path} belongs to another app or server: ${isOtherServer ? seen.server : `the app ${seen.app}`}.`,
    next: "Name that one with --base-url, --app or a key of it, or use another PATH for this one.",
  });
}

export const hasConflicts = (items: readonly Item[]): boolean => conflictsIn(items).length > 0;
