import { limits } from "../../contract/limits.ts";
import type { OpenListing, Slot } from "../../contract/tester.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { wholeId } from "../core/ids.ts";

/**
 * The id of one of the tester's slots, given as a whole or by its start; else the only slot that the tester still
 * holds.
 */
export async function ownSlotId(invocation: Invocation, given: string | undefined): Promise<string> {
  const slots = async () => (await invocation.client().tester.slots()).slots;
  if (given === undefined) return onlyOne(await slots());
  return wholeId(given, {
    thing: "slot",
    command: "innkeep slot list",
    list: async () => (await slots()).map(({ slotId, app }) => ({ id: slotId, name: app.name })),
  });
}

/** The id of an open slot, given as a whole or by its start. */
export const openSlotId = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "free slot",
    command: "innkeep slot list --open",
    list: async () => {
      const listings = await allOpenListings(invocation);
      return listings.map(({ openSlotId: id, appName }) => ({ id, name: appName }));
    },
  });

const held: readonly string[] = ["active", "at_risk"] satisfies readonly Slot["status"][];

function onlyOne(slots: readonly Slot[]): string {
  const mine = slots.filter(({ status }) => held.includes(status));
  const [slot, ...others] = mine;
  if (!slot)
    throw usageError("You hold no slot now.", "`innkeep slot list --open` shows those that are free.");
  if (others.length === 0) return slot.slotId;
  const choice = mine.map(({ slotId, app }) => `  ${slotId}  ${app.name}`).join("\n");
  throw usageError(`You hold ${mine.length} slots.`, `Say which:\n${choice}`);
}

const mostPages = 20;

/** The newest tests with open slots, from a limited number of pages. A server of another make may give all at once, without `nextCursor`. */
export async function allOpenListings(invocation: Invocation): Promise<readonly OpenListing[]> {
  const client = invocation.client();
  const found: OpenListing[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: Page = await client.tester.listings({
      query: { limit: String(limits.listPage.max), cursor },
    });
    found.push(...page.listings);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }
  return found;
}

interface Page {
  readonly listings: readonly OpenListing[];
  readonly nextCursor?: string | null;
}
