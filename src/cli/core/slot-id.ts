import type { Slot } from "../../contract/tester.ts";
import { usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";
import { wholeId } from "./ids.ts";

/**
 * Returns the id of one of the tester's own slots. `given` is an id or the start of an id. Without it, the tester must
 * have exactly one active slot.
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

const activeStatuses: readonly string[] = ["active", "at_risk"] satisfies readonly Slot["status"][];

function onlyOne(slots: readonly Slot[]): string {
  const mine = slots.filter(({ status }) => activeStatuses.includes(status));
  const [slot, ...others] = mine;
  if (!slot) throw usageError("You have no slot now.", "`innkeep slot list --open` shows free slots.");
  if (others.length === 0) return slot.slotId;
  const choice = mine.map(({ slotId, app }) => `  ${slotId}  ${app.name}`).join("\n");
  throw usageError(`You have ${mine.length} slots.`, `Name one:\n${choice}`);
}
