import type { Command } from "commander";
import type { Client } from "../client/call.ts";
import { routes } from "../client/routes.ts";
import { limits } from "../contract/limits.ts";
import type { OpenListing, Slot } from "../contract/tester.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { mutates } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { wholeId } from "./core/ids.ts";
import { type Column, details, note, printList, printOne } from "./core/output.ts";
import { omitTestKey, type TestKeyFlags, withTestKeys } from "./omit-test-key.ts";
import { ownSlotId } from "./core/slot-id.ts";
import { addSlotDecisions } from "./testing.ts";

const slotHelp = `
These commands are for testers and use the device token of \`innkeep auth login\`. The commands for owners of a test use a
maintainer token. They are \`innkeep testing slot\`, and also work as \`innkeep slot\`.`;

export function addSlot(slot: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(slot.command("list").alias("ls").description(routes.tester.slots.summary)).option(
    "--open",
    "list tests with open slots instead of your slots",
  );
  addExamples(list, "innkeep slot list", "innkeep slot list --open");
  commandAction<SlotFlags>(list, setup, listSlots);

  const request = mutates(
    slot.command("request <slot>").description(`${routes.tester.requestSlot.summary}; its owner decides`),
  );
  addExamples(request, "innkeep slot request 01a1fe67");
  commandAction<SlotFlags, string>(request, setup, requestSlot);

  const rotate = mutates(slot.command("rotate-key [slot]").description(routes.tester.rotateKey.summary));
  addExamples(rotate, "innkeep slot rotate-key 01a1fe67 --with-test-keys");
  commandAction<SlotFlags, string | undefined>(withTestKeys(rotate), setup, rotateKey);

  addSlotDecisions(slot, given, { hidden: true });
  slot.addHelpText("after", slotHelp);
}

interface SlotFlags extends TestKeyFlags {
  readonly open?: boolean;
}

type ShownSlot = Omit<Slot, "testKey">;

/** Prints the slots of the tester. With `--open`, prints the tests with open slots. */
async function listSlots(invocation: Invocation, flags: SlotFlags): Promise<undefined> {
  if (flags.open) return listOpen(invocation);
  const { slots } = await invocation.client().tester.slots();
  const shown = slots.map((slot) => omitTestKey(slot, flags));
  printList(invocation, { items: shown, columns: slotColumns, name: "slots" });
}

const slotColumns: readonly Column<ShownSlot>[] = [
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
  { heading: "app", of: ({ app }) => app.name },
  { heading: "status", of: ({ status }) => status },
  { heading: "test", of: ({ cycleStatus }) => cycleStatus },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "last counted", of: ({ lastProofDayIndex }) => lastProofDayIndex },
  { heading: "request ends", of: ({ requestExpiresAt }) => requestExpiresAt },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
];

async function listOpen(invocation: Invocation): Promise<undefined> {
  const listings = await allOpenListings(invocation);
  printList(invocation, { items: listings, columns: openColumns, name: "listings" });
  note(
    invocation,
    listings.length > 0 ? "`innkeep slot request <slot>` requests a slot." : "No test has a free slot now.",
  );
}

const mostPages = 20;

/**
 * Reads the newest tests with open slots, from a limited number of pages. Servers of other makers may return all tests
 * at once, without `nextCursor`.
 */
async function allOpenListings(invocation: Invocation): Promise<readonly OpenListing[]> {
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

const openColumns: readonly Column<OpenListing>[] = [
  { heading: "slot", of: ({ openSlotId }) => openSlotId, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "free", of: ({ seatsFree }) => seatsFree },
  { heading: "days", of: ({ durationDays }) => durationDays },
  { heading: "starts", of: ({ startsOn }) => startsOn },
  { heading: "test", of: ({ cycleStatus }) => cycleStatus },
  { heading: "what to do", of: ({ testBrief }) => testBrief },
];

async function requestSlot(invocation: Invocation, flags: SlotFlags, given: string): Promise<undefined> {
  const slotId = await openSlotId(invocation, given);
  const answer: Requested = await invocation.client().tester.requestSlot({ params: { slotId }, body: {} });
  note(
    invocation,
    `Requested slot ${slotId}. The owner of the test decides; \`innkeep slot list\` shows the answer.`,
  );
  const { slot } = answer;
  const shown = slot ? { slot: omitTestKey(slot, flags) } : answer;
  printOne(invocation, shown, () => (slot ? slotLines(slot) : ""));
}

/** Returns the id of an open slot, from its id or the start of its id. */
const openSlotId = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "free slot",
    command: "innkeep slot list --open",
    list: async () => {
      const listings = await allOpenListings(invocation);
      return listings.map(({ openSlotId: id, appName }) => ({ id, name: appName }));
    },
  });

/** The server's answer. Servers of other makers may omit the slot. */
type Requested = Partial<Awaited<ReturnType<Client["tester"]["requestSlot"]>>>;

async function rotateKey(
  invocation: Invocation,
  flags: SlotFlags,
  given: string | undefined,
): Promise<undefined> {
  const slotId = await ownSlotId(invocation, given);
  const { slot } = await invocation.client().tester.rotateKey({ params: { slotId }, body: {} });
  note(
    invocation,
    `Slot ${slot.slotId} has a new test key. The old one no longer works: enter the new one in the app.`,
  );
  printOne(invocation, { slot: omitTestKey(slot, flags) }, () =>
    flags.withTestKeys ? (slot.testKey ?? "") : slotLines(slot),
  );
}

const slotLines = ({ slotId, app, status, requestExpiresAt, cycleStatus }: ShownSlot): string =>
  details({
    slot: slotId,
    app: app.name,
    status,
    test: cycleStatus,
    "request ends": requestExpiresAt,
    "join here": app.optInUrl,
  });
