import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { type FixedView, fixedViews } from "../contract/fixed-views.ts";
import type { View, ViewQuery } from "../contract/views.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, destroys, mutates, ofApp, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf } from "./core/ids.ts";
import { confirm } from "./core/input.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";

/** Adds the verbs of `innkeep view`. */
export function addView(view: Command, setup: Setup): void {
  const list = view
    .command("list")
    .alias("ls")
    .description("List the fixed views, your views and the shared views, with the number of threads in each");
  addExamples(list, "innkeep view list --app Larder");
  commandAction(ofApp(list), setup, listViews);

  const create = filtered(
    mutates(view.command("create <name>").alias("new").description(routes.views.create.summary)),
  ).option("--shared", "show the view to all members of the app");
  addExamples(create, "innkeep view create Crashes --query 'type=bug&tag=crash' --shared");
  commandAction<ViewFlags, string>(ofApp(create), setup, createView);

  const edit = filtered(
    mutates(view.command("edit <view>").alias("update").description(routes.views.update.summary)),
  )
    .option("--name <name>", "the new name")
    .option("--shared", "show the view to all members of the app")
    .option("--no-shared", "show the view only to you");
  addExamples(edit, "innkeep view edit 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --name Crashes");
  commandAction<ViewFlags, string>(ofApp(edit), setup, editView);

  const remove = destroys(view.command("delete <view>").alias("rm").description(routes.views.remove.summary));
  addExamples(remove, "innkeep view delete 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --yes");
  commandAction<object, string>(ofApp(remove), setup, removeView);
}

const filtered = (command: Command): Command =>
  command.option(
    "--query <filters>",
    "the filters of the view, as in the query of a URL: `status=open&tag=crash`",
  );

interface ViewFlags {
  readonly query?: string;
  readonly name?: string;
  readonly shared?: boolean;
}

interface ListedView {
  readonly name: string;
  readonly kind: string;
  readonly count: number | string;
  readonly query: ViewQuery;
}

const columns: readonly Column<ListedView>[] = [
  { heading: "name", of: ({ name }) => name },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "threads", of: ({ count }) => count },
  { heading: "filters", of: ({ query }) => new URLSearchParams(Object.entries(query)).toString() },
];

async function listViews(invocation: Invocation): Promise<undefined> {
  const params = { appId: await appIdOf(invocation) };
  const { fixed, saved = [] } = await invocation.client().views.counts({ params, query: { views: "1" } });
  const items = [
    ...fixed.map(({ view, query, count }) => ({ name: view, kind: "fixed", count, query })),
    ...saved.map(({ shared, ...view }) => ({ ...view, kind: shared ? "shared" : "yours" })),
  ];
  printList(invocation, { items, columns });
}

function queryOf(given: string | undefined): ViewQuery | undefined {
  if (given === undefined) return undefined;
  const query: object = Object.fromEntries(new URLSearchParams(given.replace(/^\?/, "")));
  return query;
}

async function createView(
  invocation: Invocation,
  { query, shared }: ViewFlags,
  name: string,
): Promise<undefined> {
  const params = { appId: await appIdOf(invocation) };
  const body = { name, query: queryOf(query) ?? {}, ...(shared ? { shared } : {}) };
  const view = await invocation.client().views.create({ params, body });
  note(invocation, `Saved the view ${view.name}.`);
  printOne(invocation, view, () => view.id);
}

async function editView(
  invocation: Invocation,
  { query, name, shared }: ViewFlags,
  given: string,
): Promise<undefined> {
  const body = { name, shared, query: queryOf(query) };
  if (Object.values(body).every((value) => value === undefined))
    throw usageError("There is nothing to change.", "Give --name, --query, --shared or --no-shared.");
  const appId = await appIdOf(invocation);
  const viewId = await viewIdOf(invocation, appId, given);
  const view = await invocation.client().views.update({ params: { appId, viewId }, body });
  note(invocation, `Changed the view ${view.name}.`);
  printOne(invocation, view, () => view.id);
}

async function removeView(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const appId = await appIdOf(invocation);
  const viewId = await viewIdOf(invocation, appId, given);
  await confirm(invocation, `Delete the view ${given}?`);
  await invocation.client().views.remove({ params: { appId, viewId } });
  note(invocation, `Deleted the view ${given}.`);
  printOne(invocation, { id: viewId, appId }, () => viewId);
}

/** Returns the id of the view that has this name. Returns an id unchanged. */
const viewIdOf = async (invocation: Invocation, appId: string, given: string): Promise<string> =>
  /^[\da-f]{8}-[\da-f-]{27}$/i.test(given) ? given : (await viewNamed(invocation, appId, given)).id;

/** Returns the view with a name or an id. Throws a CliError if there is none, or several. */
async function viewNamed(invocation: Invocation, appId: string, given: string): Promise<View> {
  const { items } = await invocation.client().views.list({ params: { appId } });
  const found = items.filter(({ id, name }) => id === given || name === given);
  const [view] = found;
  if (view !== undefined && found.length === 1) return view;
  throw new CliError({
    exit: view === undefined ? "notFound" : "usage",
    code: "not_found",
    message:
      view === undefined ? `The app has no view ${given}.` : `Several views are named ${given}: give an id.`,
    next: "`innkeep view list --json` lists all.",
  });
}

const isFixed = (name: string): name is FixedView => Object.hasOwn(fixedViews, name);

/** Returns the filters of a view. Throws a CliError if the server does not support every filter. */
export async function queryOfView(invocation: Invocation, appId: string, name: string): Promise<ViewQuery> {
  const key = name.toLowerCase().replace(/[ -]/g, "_");
  if (isFixed(key)) return fixedViews[key];
  const { query, unknownFilters } = await viewNamed(invocation, appId, name);
  if (unknownFilters === undefined) return query;
  // Without these filters, too many threads would match.
  throw usageError(
    `The server does not support these filters of the view ${name}, or their values: ${unknownFilters.join(", ")}.`,
    "Update the server, or change the filters with `innkeep view edit --query`.",
  );
}
