import { type Command, type CommandOptions, Option } from "commander";
import { routes } from "../client/routes.ts";
import { choices } from "./core/choices.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { destroys, mutates, ofApp, several, views, wholeNumber } from "./core/flags.ts";
import { type CycleFlags, cancelCycle, createCycle, listCycles, reportCycle, viewCycle } from "./cycles.ts";
import { createListing, editListing, type ListingFlags, listListings, viewListing } from "./listings.ts";
import { assignSlot, changeSlot } from "./slots.ts";

export function addTesting(testing: Command, setup: Setup): void {
  addListings(group(testing, "listing", "Your offers to testers"), setup);
  addCycles(group(testing, "cycle", "The cycles of a listing"), setup);
  addSlots(group(testing, "slot", "The slots of a cycle").alias("seat"), setup);
}

const group = (testing: Command, name: string, summary: string): Command =>
  testing.command(name).alias(`${name}s`).description(summary).helpCommand(false);

/** The commands of an owner's listings, as `innkeep testing listing` and, for short, as `innkeep listing`. */
export function addListings(listing: Command, setup: Setup): void {
  const list = listing.command("list").alias("ls").description(routes.listings.list.summary);
  commandAction(ofApp(list), setup, listListings);

  const view = listing.command("view <listing>").alias("show").description(routes.listings.read.summary);
  commandAction<object, string>(views(view), setup, viewListing);

  const create = mutates(listing.command("create").alias("new").description(routes.listings.create.summary));
  commandAction<ListingFlags>(describesListing(ofApp(create)), setup, createListing);

  const edit = mutates(
    listing.command("edit <listing>").alias("update").description(routes.listings.update.summary),
  );
  commandAction<ListingFlags, string>(describesListing(edit), setup, editListing);
}

const describesListing = (command: Command): Command =>
  command
    .option("--app-name <name>", "the app's name for testers")
    .option("--package-name <name>", "the store's identifier, such as com.example.app")
    .option("--opt-in-url <url>", "where testers join the store's test")
    .option("--test-brief <text>", "what testers should do; `-` is standard input, `@file` a file")
    .option("--screen <name>", "a screen of the app; repeatable", several)
    .addOption(
      new Option("--verification-tier <tier>", "whether the app has the SDK").choices(
        choices.verificationTiers,
      ),
    )
    .option("--icon-url <url>", "the app's icon; empty for none")
    .option("--seats <number>", "how many testers", wholeNumber)
    .option("--duration-days <number>", "how many days", wholeNumber)
    .option(
      "--max-missed-days <number>",
      "a tester who misses this many days, in a row or not, loses the slot",
      wholeNumber,
    );

/** The commands of an owner's cycles, as `innkeep testing cycle` and, for short, as `innkeep cycle`. */
export function addCycles(cycle: Command, setup: Setup): void {
  const list = cycle.command("list <listing>").alias("ls").description(routes.cycles.list.summary);
  commandAction<object, string>(list, setup, listCycles);

  const create = mutates(
    cycle.command("create <listing>").alias("new").description(routes.cycles.create.summary),
  )
    .requiredOption("--starts-on <date>", "its first day, YYYY-MM-DD")
    .option(
      "--timezone <zone>",
      "the time zone of its days, such as Europe/London; this machine's unless given",
    );
  commandAction<CycleFlags, string>(create, setup, createCycle);

  const view = cycle.command("view <cycle>").alias("show").description(routes.cycles.read.summary);
  commandAction<object, string>(view, setup, viewCycle);

  const cancel = destroys(cycle.command("cancel <cycle>").description(routes.cycles.cancel.summary));
  commandAction<object, string>(cancel, setup, cancelCycle);

  const report = cycle.command("report <cycle>").description(routes.cycles.report.summary);
  commandAction<object, string>(report, setup, reportCycle);
}

function addSlots(slot: Command, setup: Setup): void {
  addSlotDecisions(slot, setup);
  // A tester's `innkeep slot rotate-key` has this name, too: it has no short form.
  const rotate = destroys(slot.command("rotate-key <slot>").description(routes.slots.rotateKey.summary));
  commandAction<object, string>(rotate, setup, changeSlot("rotateKey"));
}

/** What an owner decides on a slot, as `innkeep testing slot` and, where help does not list it, as `innkeep slot`. */
export function addSlotDecisions(slot: Command, setup: Setup, shown: CommandOptions = {}): void {
  const accept = mutates(slot.command("accept <slot>", shown).description(routes.slots.accept.summary));
  commandAction<object, string>(accept, setup, changeSlot("accept"));

  const decline = destroys(slot.command("decline <slot>", shown).description(routes.slots.decline.summary));
  commandAction<object, string>(decline, setup, changeSlot("decline"));

  const remove = destroys(
    slot.command("remove <slot>", shown).alias("rm").description(routes.slots.remove.summary),
  );
  commandAction<object, string>(remove, setup, changeSlot("remove"));

  const confirmJoin = mutates(
    slot.command("confirm-join <slot>", shown).description(routes.slots.confirmJoin.summary),
  );
  commandAction<object, string>(confirmJoin, setup, changeSlot("confirmJoin"));

  const assign = mutates(slot.command("assign <slot>", shown).description(routes.slots.assign.summary));
  assign.requiredOption("--email <address>", "the account of the tester");
  commandAction<{ email: string }, string>(assign, setup, assignSlot);
}
