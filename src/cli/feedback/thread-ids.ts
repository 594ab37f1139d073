import { limits } from "../../contract/limits.ts";
import type { ThreadSummary } from "../../contract/threads.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf, wholeId } from "../core/ids.ts";

/** Returns the id at the end of a console link. Returns any other text unchanged. */
const threadId = (given: string): string =>
  given
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1) ?? given;

/**
 * Returns the whole id of a thread. The person may give its number, its console link, its id or the start of the id.
 */
export const wholeThreadId = (invocation: Invocation, given: string): Promise<string> => {
  const number = /^#?([1-9]\d{0,6})$/.exec(given)?.[1];
  return number === undefined ? idFrom(invocation, given) : idOfNumber(invocation, number);
};

/** Returns the id of the thread with this number in the app. Throws a CliError if there is none. */
async function idOfNumber(invocation: Invocation, number: string): Promise<string> {
  const { threads } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const [found] = (await threads.list({ params, query: { number } })).items;
  if (found === undefined)
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message: `The app has no feedback with the number ${number}.`,
      next: "`innkeep feedback list` shows the numbers.",
    });
  return found.id;
}

const idFrom = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(threadId(given), {
    thing: "feedback",
    command: "innkeep feedback list",
    list: async () => (await allThreads(invocation)).map(({ id, subject }) => ({ id, name: subject })),
  });

/** Returns the newest threads of the app, from a limited number of pages. */
async function allThreads(invocation: Invocation): Promise<readonly ThreadSummary[]> {
  const { threads } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const found: ThreadSummary[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await threads.list({ params, query: { limit: String(limits.listPage.max), cursor } });
    found.push(...page.items);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return found;
}

const mostPages = 20;
