import { CliError } from "../core/cli-error.ts";
import { canAsk, confirm } from "../core/confirm.ts";
import type { Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { failureOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import { printable } from "../core/plain-text.ts";
import { faqApi, type TaggedList } from "./api.ts";
import { type Applied, apply } from "./apply.ts";
import {
  besideList,
  type Checkout,
  compare,
  hasConflicts,
  openFiles,
  type PlanFlags,
  tellNewServer,
} from "./checkout.ts";
import { refuseLongTexts } from "./long-texts.ts";
import { changesIn, type Item } from "./plan.ts";
import { planJson, planText } from "./plan-text.ts";
import { defaultPath } from "./source.ts";
import { writeBack } from "./write-back.ts";

/** A list that changes this often while it is pushed is changed by a program. */
const mostAttempts = 20;

/** Makes the server's FAQ as the files have it. */
export async function pushFaqs(
  invocation: Invocation,
  flags: PlanFlags,
  path = defaultPath,
): Promise<Exit | undefined> {
  const api = await faqApi(invocation);
  const files = await openFiles(invocation, path, { api, mustHave: true });
  let agreed: string | undefined;
  let isShown = false;
  let oneByOne = false;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const list = await api.read();
    const checkout = besideList(files, list);
    if (attempt === 0) tellNewServer(checkout);
    const items = await compare(checkout, { ...flags, filesRule: files.isCi });
    refuseLongTexts(list, items);
    if (hasConflicts(items)) return showConflicts(checkout, items);
    if (invocation.flags.dryRun) return showPlan(checkout, items);
    if (changesIn(items).length === 0) return finish(checkout, { items, list });
    const plan = planText(items);
    if (plan !== agreed) isShown = await agree(invocation, plan);
    agreed = plan;
    const applied = await apply(api, { list, items, oneByOne });
    if (typeof applied === "object") return finish(checkout, { items, list, applied, isShown });
    oneByOne ||= applied === "oneByOne";
    if (applied === "moved") await invocation.context.clock.sleep(invocation.context.random() * 50 * attempt);
  }
  throw new CliError({
    exit: "tryLater",
    code: "precondition_failed",
    message: "The FAQ kept changing on the server. Nothing was pushed.",
    next: "Try again in a moment.",
  });
}

/** Shows the plan and asks, unless `--yes` says that nobody needs to be asked. Gives whether it was shown. */
async function agree(invocation: Invocation, plan: string): Promise<boolean> {
  const asks = !invocation.flags.yes && canAsk(invocation);
  if (asks) invocation.context.io.stderr.write(`${printable(plan)}\n`);
  await confirm(invocation, "Push this?");
  return asks;
}

function showPlan(checkout: Checkout, items: readonly Item[]): undefined {
  print(checkout, { items, more: { pushed: false, dryRun: true }, text: planText(items) });
}

function showConflicts(checkout: Checkout, items: readonly Item[]): Exit {
  print(checkout, { items, more: { pushed: false }, text: planText(items) });
  tellConflicts(checkout.invocation, "Nothing was pushed");
  return "conflict";
}

/** Says on standard error what a person can do about conflicts. */
export const tellConflicts = (invocation: Invocation, what: string): void =>
  note(
    invocation,
    `${what}, because of the conflicts. \`-\` is the server's text, \`+\` the file's. Put into the file what both want to say, or ` +
      "name a side: `--take mine ID …` or `--take theirs ID …`.",
  );

interface Ended {
  readonly items: readonly Item[];
  readonly list: TaggedList;
  /** Undefined if there was nothing to push. */
  readonly applied?: Applied;
  /** Whether a person has seen the plan already. */
  readonly isShown?: boolean;
}

async function finish(
  checkout: Checkout,
  { items, list, applied, isShown }: Ended,
): Promise<Exit | undefined> {
  const done = applied ?? { entries: list.entries, ids: new Map(), results: undefined };
  await writeBack(checkout, items, done);
  const { results } = done;
  const failed = results?.find(({ error }) => error !== undefined);
  const lines = [
    ...(isShown ? [] : [planText(items)]),
    ...(results ?? []).map(
      (one) =>
        `${one.outcome.padEnd(9)} ${one.action}  ${one.id ?? one.file}${one.reason ? `: ${one.reason}` : ""}`,
    ),
    ...(applied && !failed ? [`Pushed ${changesIn(items).length} of ${items.length}.`] : []),
  ];
  const more = {
    pushed: applied !== undefined && !failed,
    ...(results && { results: results.map(({ error, ...result }) => result) }),
  };
  print(checkout, { items: items.map((item) => withId(item, done)), more, text: lines.join("\n") });
  return failed ? failureOf(failed.error).exit : undefined;
}

/** A created entry has an id now. */
function withId(item: Item, { ids, entries }: Applied): Item {
  const id = item.mine && ids.get(item.mine);
  return id === undefined ? item : { ...item, theirs: entries.find((entry) => entry.id === id) };
}

interface Printed {
  readonly items: readonly Item[];
  readonly more: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Prints the plan as data, or as text. */
function print({ invocation, source }: Checkout, { items, more, text }: Printed): void {
  printOne(invocation, { path: source.path, ...more, ...planJson(items) }, () => text);
}

/** Shows what a push would do. */
export async function diffFaqs(
  invocation: Invocation,
  { exitCode = false }: { readonly exitCode?: boolean },
  path = defaultPath,
): Promise<Exit | undefined> {
  const api = await faqApi(invocation);
  const files = await openFiles(invocation, path, { api, mustHave: true });
  const list = await api.read();
  const checkout = besideList(files, list);
  tellNewServer(checkout);
  const items = await compare(checkout, { filesRule: checkout.isCi });
  refuseLongTexts(list, items);
  print(checkout, { items, more: {}, text: planText(items) });
  if (!exitCode) return undefined;
  if (hasConflicts(items)) return "conflict";
  return items.every(({ action }) => action === "same") ? undefined : "differences";
}
