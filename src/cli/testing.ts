import { type Command, type CommandOptions, Option } from "commander";
import type { Client } from "../client/call.ts";
import { routes } from "../client/routes.ts";
import type {
  Cycle,
  CycleDetail,
  CycleReport,
  JudgedCycle,
  Listing,
  NewListing,
  OwnedSlot,
  SlotWithDays,
} from "../contract/cycles.ts";
import { countOf } from "../words/phrases.ts";
import { choices } from "./core/choices.ts";
import { usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  destroys,
  mutates,
  ofApp,
  type Setup,
  several,
  systemTimeZone,
  views,
  wholeNumber,
  wordsOf,
} from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { missingFlags } from "./core/failures.ts";
import { appIdOf, type Listed, reachableApps, wholeId } from "./core/ids.ts";
import { confirm, flagOf, optionalTextOf } from "./core/input.ts";
import { type Column, details, note, printList, printOne } from "./core/output.ts";

export function addTesting(testing: Command, setup: Setup): void {
  addListings(group(testing, "listing", "Your offers to testers"), setup);
  addCycles(group(testing, "cycle", "The cycles of a listing"), setup);
  addSlots(group(testing, "slot", "The slots of a cycle").alias("seat"), setup);
}

const group = (testing: Command, name: string, summary: string): Command =>
  testing.command(name).alias(`${name}s`).description(summary).helpCommand(false);

/** Adds examples to a command. The examples of a short form, such as `innkeep slot`, omit `testing`. */
function addBothExamples(command: Command, ...lines: readonly string[]): void {
  const isShort = !wordsOf(command).startsWith("testing ");
  addExamples(command, ...lines.map((line) => (isShort ? line.replace("testing ", "") : line)));
}

/** Adds the commands for the listings of an owner: `innkeep testing listing`, or short `innkeep listing`. */
export function addListings(listing: Command, setup: Setup): void {
  const list = listing.command("list").alias("ls").description(routes.listings.list.summary);
  addBothExamples(list, "innkeep testing listing list --app Larder");
  commandAction(ofApp(list), setup, listListings);

  const view = listing.command("view <listing>").alias("show").description(routes.listings.read.summary);
  addBothExamples(view, "innkeep testing listing view 01a1fe67-ea45-7574-8a18-9e786f3f8d39");
  commandAction<object, string>(views(view), setup, viewListing);

  const create = mutates(listing.command("create").alias("new").description(routes.listings.create.summary));
  addBothExamples(
    create,
    "innkeep testing listing create --app-name Larder --package-name org.example.larder " +
      "--opt-in-url https://play.example.org/larder --test-brief @brief.md --screen Recipes --verification-tier sdk",
  );
  commandAction<ListingFlags>(describesListing(ofApp(create)), setup, createListing);

  const edit = mutates(
    listing.command("edit <listing>").alias("update").description(routes.listings.update.summary),
  );
  addBothExamples(
    edit,
    "innkeep testing listing edit 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --seats 14 --test-brief @brief.md",
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
      new Option(
        "--verification-tier <tier>",
        "how the days of a test are verified: by the SDK in the app, or by pictures",
      ).choices(choices.verificationTiers),
    )
    .option("--icon-url <url>", "the address of the app's icon; empty removes it")
    .option("--seats <number>", "the number of testers", wholeNumber)
    .option("--duration-days <number>", "the number of days", wholeNumber)
    .option(
      "--max-missed-days <number>",
      "a tester who misses this many days in total loses the slot",
      wholeNumber,
    );

/** Adds the commands for the cycles of an owner: `innkeep testing cycle`, or short `innkeep cycle`. */
export function addCycles(cycle: Command, setup: Setup): void {
  const list = cycle.command("list <listing>").alias("ls").description(routes.cycles.list.summary);
  addBothExamples(list, "innkeep testing cycle list 01a1fe67-ea45-7574-8a18-9e786f3f8d39");
  commandAction<object, string>(list, setup, listCycles);

  const create = mutates(
    cycle.command("create <listing>").alias("new").description(routes.cycles.create.summary),
  )
    .requiredOption("--starts-on <date>", "the first day of the cycle, YYYY-MM-DD")
    .option(
      "--timezone <zone>",
      "the time zone of the cycle's days, such as Europe/London; default: the time zone of this machine",
    );
  addBothExamples(
    create,
    "innkeep testing cycle create 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --starts-on 2026-12-01 --timezone Europe/London",
  );
  commandAction<CycleFlags, string>(create, setup, createCycle);

  const view = cycle.command("view <cycle>").alias("show").description(routes.cycles.read.summary);
  addBothExamples(view, "innkeep testing cycle view 01a1fe67-ea46-7268-9b0f-2c008d09e55b");
  commandAction<object, string>(view, setup, viewCycle);

  const cancel = destroys(cycle.command("cancel <cycle>").description(routes.cycles.cancel.summary));
  addBothExamples(cancel, "innkeep testing cycle cancel 01a1fe67-ea46-7268-9b0f-2c008d09e55b --yes");
  commandAction<object, string>(cancel, setup, cancelCycle);

  const report = cycle.command("report <cycle>").description(routes.cycles.report.summary);
  addBothExamples(report, "innkeep testing cycle report 01a1fe67-ea46-7268-9b0f-2c008d09e55b --json");
  commandAction<object, string>(report, setup, reportCycle);
}

function addSlots(slot: Command, setup: Setup): void {
  addSlotDecisions(slot, setup);
  // This command has no short form, because `innkeep slot rotate-key` is a command for testers.
  const rotate = destroys(slot.command("rotate-key <slot>").description(routes.slots.rotateKey.summary));
  addExamples(rotate, "innkeep testing slot rotate-key 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes");
  commandAction<object, string>(rotate, setup, changeSlot("rotateKey"));
}

/** Adds the commands for decisions to `innkeep testing slot`, or to its short form `innkeep slot`. */
export function addSlotDecisions(slot: Command, setup: Setup, shown: CommandOptions = {}): void {
  const accept = mutates(slot.command("accept <slot>", shown).description(routes.slots.accept.summary));
  addBothExamples(accept, "innkeep testing slot accept 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b");
  commandAction<object, string>(accept, setup, changeSlot("accept"));

  const decline = destroys(slot.command("decline <slot>", shown).description(routes.slots.decline.summary));
  addBothExamples(decline, "innkeep testing slot decline 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes");
  commandAction<object, string>(decline, setup, changeSlot("decline"));

  const remove = destroys(
    slot.command("remove <slot>", shown).alias("rm").description(routes.slots.remove.summary),
  );
  addBothExamples(remove, "innkeep testing slot remove 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes");
  commandAction<object, string>(remove, setup, changeSlot("remove"));

  const confirmJoin = mutates(
    slot.command("confirm-join <slot>", shown).description(routes.slots.confirmJoin.summary),
  );
  addBothExamples(confirmJoin, "innkeep testing slot confirm-join 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b");
  commandAction<object, string>(confirmJoin, setup, changeSlot("confirmJoin"));

  const assign = mutates(slot.command("assign <slot>", shown).description(routes.slots.assign.summary));
  assign.requiredOption("--email <address>", "the account of the tester");
  addBothExamples(
    assign,
    "innkeep testing slot assign 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --email ada@example.org",
  );
  commandAction<{ email: string }, string>(assign, setup, assignSlot);
}

interface ListingFlags extends Partial<Omit<NewListing, "screens">> {
  readonly screen?: readonly string[];
}

async function listListings(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().listings.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: listingColumns });
}

const listingColumns: readonly Column<Listing>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "package", of: ({ packageName }) => packageName },
  { heading: "slots", of: ({ seats }) => seats },
  { heading: "days", of: ({ durationDays }) => durationDays },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
];

async function viewListing(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const listingId = await listingIdOf(invocation, given);
  const listing = await invocation.client().listings.read({ params: { listingId } });
  printOne(invocation, listing, () => listingLines(listing));
}

/** Creates a listing, which offers an app to testers. Throws a usage error that names all missing flags. */
async function createListing(invocation: Invocation, flags: ListingFlags): Promise<undefined> {
  const change = await changeOf(invocation, flags);
  const { appName, packageName, optInUrl, testBrief, verificationTier, screens, ...rest } = change;
  const required = { appName, packageName, optInUrl, testBrief, screens, verificationTier };
  if (!isWhole(required)) throw missing(required);
  const params = { appId: await appIdOf(invocation) };
  const listing = await invocation.client().listings.create({ params, body: { ...required, ...rest } });
  note(
    invocation,
    `Created listing ${listing.id}. \`innkeep testing cycle create ${listing.id}\` plans a test.`,
  );
  printOne(invocation, listing, () => listingLines(listing));
}

async function editListing(invocation: Invocation, flags: ListingFlags, given: string): Promise<undefined> {
  const body = await changeOf(invocation, flags);
  if (Object.values(body).every((value) => value === undefined)) {
    throw usageError("There is nothing to change.", "`innkeep testing listing edit --help` lists the flags.");
  }
  const listingId = await listingIdOf(invocation, given);
  const listing = await invocation.client().listings.update({ params: { listingId }, body });
  note(invocation, `Changed listing ${listing.id}.`);
  printOne(invocation, listing, () => listingLines(listing));
}

async function changeOf(invocation: Invocation, flags: ListingFlags) {
  const { appName, packageName, optInUrl, verificationTier, iconUrl, screen } = flags;
  const { seats, durationDays, maxMissedDays } = flags;
  return {
    ...{ appName, packageName, optInUrl, verificationTier, seats, durationDays, maxMissedDays },
    testBrief: await optionalTextOf(invocation, "--test-brief", flags.testBrief),
    iconUrl: iconUrl === "" ? null : iconUrl,
    screens: screen && [...screen],
  };
}

type RequiredFields = Pick<
  NewListing,
  "appName" | "packageName" | "optInUrl" | "testBrief" | "screens" | "verificationTier"
>;

const isWhole = (given: Partial<RequiredFields>): given is RequiredFields =>
  Object.values(given).every((value) => value !== undefined);

function missing(given: Partial<RequiredFields>) {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return missingFlags(names.map((name) => (name === "screens" ? "--screen" : flagOf(name))));
}

const listingLines = (listing: Listing): string =>
  details({
    listing: listing.id,
    app: listing.appName,
    package: listing.packageName,
    "join here": listing.optInUrl,
    screens: listing.screens.join(", "),
    slots: listing.seats,
    days: `${listing.durationDays}, at most ${listing.maxMissedDays - 1} missed`,
    "verified by": listing.verificationTier,
    "what to do": listing.testBrief,
  });

interface CycleFlags {
  readonly startsOn: string;
  readonly timezone?: string;
}

async function listCycles(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const listingId = await listingIdOf(invocation, given);
  const { items } = await invocation.client().cycles.list({ params: { listingId } });
  printList(invocation, { items, columns: cycleColumns });
}

const cycleColumns: readonly Column<JudgedCycle>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "status", of: ({ status }) => status },
  { heading: "starts", of: ({ startsOn }) => startsOn },
  { heading: "zone", of: ({ timezone }) => timezone },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "ends", of: ({ endsAt }) => endsAt },
  { heading: "verdict", of: ({ verdict }) => verdict.state },
];

/** Plans a cycle. The default time zone is the time zone of this machine. */
async function createCycle(
  invocation: Invocation,
  { startsOn, timezone = systemTimeZone() }: CycleFlags,
  given: string,
): Promise<undefined> {
  if (!timezone) throw usageError("The time zone of this machine is not known.", "Give --timezone.");
  const listingId = await listingIdOf(invocation, given);
  const body = { startsOn, timezone };
  const made = await invocation.client().cycles.create({ params: { listingId }, body });
  const { cycle, slots } = made;
  note(
    invocation,
    `Planned cycle ${cycle.id} with ${countOf(slots.length, "slot")}. It starts and ends automatically.`,
  );
  printOne(invocation, made, () => cycleLines(cycle));
}

/** Prints the verdict on a cycle, today's open tasks and the slots. Each day of a slot is one character. */
async function viewCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  const { slots, ...extra } = await invocation.client().cycles.read({ params: { cycleId } });
  note(invocation, `${details({ ...cycleFacts(extra.cycle), ...standingFacts(extra) })}\n`);
  printList(invocation, { items: slots, columns: gridColumns(extra), extra, name: "slots" });
  note(invocation, `\n${gridLegend}`);
}

const standingFacts = ({ verdict, today }: Pick<CycleDetail, "verdict" | "today">) => ({
  verdict: verdict.advice === null ? verdict.text : `${verdict.text} ${verdict.advice}`,
  today: today && `${today.counted} done, ${today.open} open until ${today.endsAt}`,
});

async function cancelCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  await confirm(invocation, `Cancel cycle ${cycleId}? Its testers lose their slots permanently.`);
  const cycle = await invocation.client().cycles.cancel({ params: { cycleId }, body: {} });
  note(invocation, `Cancelled cycle ${cycle.id}.`);
  printOne(invocation, cycle, () => cycleLines(cycle));
}

async function reportCycle(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const cycleId = await cycleIdOf(invocation, given);
  const report = await invocation.client().cycles.report({ params: { cycleId } });
  if (invocation.flags.json || invocation.flags.fields) {
    printOne(invocation, report, () => "");
    return;
  }
  note(invocation, `${reportLines(report)}\n`);
  printList(invocation, { items: report.seats, columns: slotColumns });
  note(invocation, `\n${report.statement}`);
}

const cycleLines = (cycle: Cycle): string => details(cycleFacts(cycle));

const cycleFacts = ({ id, status, startsOn, timezone, dayIndex, durationDays, endsAt }: Cycle) => ({
  cycle: id,
  status,
  "first day": `${startsOn} (${timezone})`,
  day: `${dayIndex} of ${durationDays}`,
  ends: endsAt,
});

const reportLines = ({
  cycle,
  appName,
  packageName,
  testers,
  testersWithEveryDay,
  finishedDays,
  testersWithEveryFinishedDay,
  testersPerDay,
}: CycleReport) =>
  details({
    app: `${appName} (${packageName})`,
    cycle: `${cycle.id}, ${cycle.status}, day ${cycle.dayIndex} of ${cycle.durationDays}`,
    testers,
    "with every day counted": testersWithEveryDay,
    "with every finished day counted": `${testersWithEveryFinishedDay} (of ${finishedDays})`,
    "testers by day": testersPerDay.map(({ dayIndex, testers: count }) => `${dayIndex}: ${count}`).join(", "),
  });

type Day = SlotWithDays["days"][number];

/** The columns of the slots of a cycle. Each day of a slot is one character. */
const gridColumns = ({ attention }: Pick<CycleDetail, "attention">): readonly Column<SlotWithDays>[] => [
  { heading: "number", of: ({ seat }) => seat },
  { heading: "days", of: ({ days }) => days.map(dayCharacter).join("") },
  { heading: "status", of: ({ status }) => status },
  { heading: "counted", of: ({ daysCounted }) => daysCounted },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "tester", of: ({ tester }) => tester?.email },
  {
    heading: "join",
    of: ({ joinCheckPending, endedAt }) => (joinCheckPending && !endedAt ? "to be confirmed" : ""),
  },
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
  { heading: "needs", of: ({ slotId }) => attention.find((row) => row.slotId === slotId)?.state },
];

const gridLegend =
  "S counted by a session, P counted by a proof, x missed, o not counted yet, . in the future, - no tester";

const dayCharacters: Readonly<Record<Day["state"], string>> = {
  counted: "S",
  missed: "x",
  open: "o",
  ahead: ".",
  none: "-",
};

const dayCharacter = ({ state, countedBy }: Day): string =>
  state === "counted" && countedBy === "proof" ? "P" : (dayCharacters[state] ?? "?");

/** The columns of the slots in a report about a cycle. */
const slotColumns: readonly Column<CycleReport["seats"][number]>[] = [
  { heading: "number", of: ({ seat }) => seat },
  { heading: "status", of: ({ status }) => status },
  { heading: "counted", of: ({ daysCounted }) => daysCounted },
  { heading: "by session", of: ({ daysBySession }) => daysBySession },
  { heading: "by proof", of: ({ daysByProof }) => daysByProof },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "sessions", of: ({ sessions }) => sessions },
  { heading: "minutes", of: ({ secondsTested }) => Math.round(secondsTested / 60) },
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
];

type Slots = Client["slots"];

type Verb = Exclude<keyof Slots, "assign">;

interface Change {
  readonly call: (slots: Slots, slotId: string) => Promise<OwnedSlot>;
  /** The question to the person before an action that takes something away from a tester. */
  readonly question?: string;
  readonly done: string;
}

const changes: Readonly<Record<Verb, Change>> = {
  accept: {
    call: (slots, slotId) => slots.accept({ params: { slotId }, body: {} }),
    done: "The tester has the slot.",
  },
  decline: {
    call: (slots, slotId) => slots.decline({ params: { slotId }, body: {} }),
    question: "Decline the request for this slot?",
    done: "Declined. The slot is open again.",
  },
  remove: {
    call: (slots, slotId) => slots.remove({ params: { slotId }, body: {} }),
    question: "Remove the tester from this slot permanently?",
    done: "Removed. A new slot is open instead.",
  },
  rotateKey: {
    call: (slots, slotId) => slots.rotateKey({ params: { slotId }, body: {} }),
    question: "Replace the test key? The old key stops working immediately.",
    done: "The tester can now read the new test key.",
  },
  confirmJoin: {
    call: (slots, slotId) => slots.confirmJoin({ params: { slotId }, body: {} }),
    done: "Confirmed that the tester has joined the store's test.",
  },
};

/** Returns the handler of a command that changes a slot. Asks first if the change takes something from a tester. */
const changeSlot =
  (verb: Verb) =>
  async (invocation: Invocation, _: object, given: string): Promise<undefined> => {
    const slotId = await slotIdOf(invocation, given);
    const { call, question, done } = changes[verb];
    if (question) await confirm(invocation, question);
    print(invocation, await call(invocation.client().slots, slotId), done);
  };

async function assignSlot(
  invocation: Invocation,
  { email }: { readonly email: string },
  given: string,
): Promise<undefined> {
  const slotId = await slotIdOf(invocation, given);
  const slot = await invocation.client().slots.assign({ params: { slotId }, body: { email } });
  print(invocation, slot, `Assigned the slot to ${email}.`);
}

function print(invocation: Invocation, slot: OwnedSlot, done: string): void {
  note(invocation, done);
  printOne(invocation, slot, () =>
    details({ slot: slot.slotId, number: slot.seat, status: slot.status, tester: slot.tester?.email }),
  );
}

/** Returns the id of a listing, from its id or the start of its id. */
const listingIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "listing",
    command: "innkeep testing listing list",
    list: () => listings(invocation),
  });

/** Returns the id of a cycle, from its id or the start of its id. */
const cycleIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "cycle",
    command: "innkeep testing cycle list LISTING",
    list: async () => (await cycles(invocation)).map(({ id, startsOn }) => ({ id, name: startsOn })),
  });

/** Returns the whole id of a slot. For a finished cycle, `given` must be a whole id. */
const slotIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "slot",
    command: "innkeep testing cycle view CYCLE",
    list: () => slots(invocation),
    leftOut: "Write the whole id for a slot of a cycle that is over.",
  });

async function listings(invocation: Invocation): Promise<readonly Listed[]> {
  const apps = await reachableApps(invocation);
  const { list } = invocation.client().listings;
  const lists = await Promise.all(apps.map(({ id }) => list({ params: { appId: id } })));
  return lists.flatMap(({ items }) => items).map(({ id, appName }) => ({ id, name: appName }));
}

async function cycles(invocation: Invocation) {
  const { list } = invocation.client().cycles;
  const all = await listings(invocation);
  const lists = await Promise.all(all.map(({ id }) => list({ params: { listingId: id } })));
  return lists.flatMap(({ items }) => items);
}

const unfinished: readonly string[] = ["recruiting", "running"];

async function slots(invocation: Invocation): Promise<readonly Listed[]> {
  const { read } = invocation.client().cycles;
  const open = (await cycles(invocation)).filter(({ status }) => unfinished.includes(status));
  const grids = await Promise.all(open.map(({ id }) => read({ params: { cycleId: id } })));
  return grids
    .flatMap(({ slots }) => slots)
    .map(({ slotId, seat, tester }) => ({ id: slotId, name: `slot ${seat} ${tester?.email ?? ""}` }));
}
