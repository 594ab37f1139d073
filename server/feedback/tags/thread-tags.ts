import type { AuditChange } from "../../../src/contract/audit.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { tags, threadTags } from "./store.ts";

export interface TagChange {
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

/** A thread, and the app to which it belongs. */
export interface ThreadOfApp {
  readonly id: string;
  readonly appId: string;
}

/**
 * Takes tags from a thread, then gives it tags; makes those that the app lacks. Gives the change for the audit; undefined if
 * nothing was asked. Throws
 * `bad_request` for too many tags on the thread, and `wrong_state` for too many of the app. (rule F30)
 */
export async function changeTags(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { id, appId, addTags = [], removeTags = [] }: ThreadOfApp & TagChange,
): Promise<readonly AuditChange[] | undefined> {
  if (addTags.length + removeTags.length === 0) return undefined;
  await tx.lock(id);
  const before = await namesOf(tx, id);
  for (const name of removeTags) await threadTags.remove(tx, id, name);
  for (const name of addTags) {
    await makeTag(deps, tx, { appId, name });
    await threadTags.add(tx, id, name);
  }
  if ((await threadTags.count(tx, id)) > limits.threadTags)
    throw badRequest("addTags", `must leave the thread with at most ${limits.threadTags} tags`);
  return changesBetween({ tags: before }, { tags: await namesOf(tx, id) });
}

/** The tags of a thread as one text. */
const namesOf = async (tx: Transaction, id: string): Promise<string> =>
  ((await threadTags.of(tx, [id])).get(id) ?? [])
    .map(({ name }) => name)
    .sort()
    .join(", ");

interface NamedTag {
  readonly appId: string;
  readonly name: string;
  readonly colour?: string | null | undefined;
}

/** Makes a tag. Gives its id; undefined if the app has it already. Throws `wrong_state` for too many tags. */
export async function makeTag(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, name, colour = null }: NamedTag,
): Promise<string | undefined> {
  const id = newId();
  const createdAt = clock.now().toISOString();
  if (!(await tags.insert(tx, { id, appId, name, colour, createdAt }))) return undefined;
  if ((await tags.count(tx, appId)) > limits.appTags)
    throw new ApiError("wrong_state", {
      message: `The app has ${limits.appTags} tags already. Delete or merge some first.`,
    });
  return id;
}
