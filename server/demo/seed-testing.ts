import { crc32, deflateSync } from "node:zlib";
import { type ReceivedFile, receivedFile } from "../../src/contract/files.ts";
import { users } from "../access/accounts/store.ts";
import type { Transaction } from "../database/database.ts";
import { cyclesTopic, slotsTopic } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { uploadOf } from "../feedback/reports/uploads.ts";
import { uploads } from "../files/store.ts";
import { hashOf, mintCredential } from "../secrets/secrets.ts";
import { advanceCycle } from "../testing/cycles/passing-time.ts";
import { countedDays, cycles, dueChanges, slots } from "../testing/cycles/store.ts";
import { dayStartsOf, requestMilliseconds } from "../testing/days/rules.ts";
import { listings } from "../testing/listings/store.ts";
import { testSessions } from "../testing/sessions/store.ts";
import { proofs, testerSlots } from "../testing/tester/store.ts";
import {
  addressOf,
  type DemoTester,
  demoDay,
  demoListing,
  demoProofNotes,
  demoRequests,
  demoTesters,
  demoTimezone,
  openTester,
} from "./content.ts";

export type SeedingDeps = CycleSeeding["deps"] & Pick<Deps, "files" | "keptFiles">;

interface DemoOwner {
  readonly appId: string;
  /** The hash of the owner's password. The accounts of the testers get the same password. */
  readonly passwordHash: string;
  /** The test key of the tester who has a task today. By default a new key is created. */
  readonly testKey?: string | undefined;
}

/** Adds a half-finished cycle with days in all states, and requests for slots. */
export async function seedTesting(
  deps: SeedingDeps,
  tx: Transaction,
  { appId, passwordHash, testKey }: DemoOwner,
): Promise<void> {
  const picture = await keepPicture(deps);
  await deps.keptFiles.keepFor([picture], async () => {
    const cycle = await planCycle(deps, tx, { appId, picture });
    await recordCycle({ deps, tx, cycle }, { passwordHash, testKey });
  });
  for (const topic of [cyclesTopic, slotsTopic]) tx.signal(topic);
}

async function keepPicture({ files }: Pick<Deps, "files">): Promise<DemoCycle["picture"]> {
  const bytes = demoPicture();
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  return receivedFile({ ...written, declaredType: "image/png", name: "list.png", fault: null });
}

const [durationDays, maxMissedDays, seats] = [14, 3, 12];

/** Adds the listing, and a cycle that was planned two days before its first day. */
async function planCycle(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { appId, picture }: Pick<DemoCycle, "appId" | "picture">,
): Promise<DemoCycle> {
  const plan = { startsOn: firstDay(clock.now()), timezone: demoTimezone, durationDays };
  const dayStarts = dayStartsOf(plan);
  const createdAt = later(dayStarts[0], -48 * hour);
  const listingId = newId();
  await listings.insert(tx, {
    ...demoListing,
    id: listingId,
    appId,
    iconUrl: null,
    screens: JSON.stringify(demoListing.screens),
    verificationTier: "sdk",
    seats,
    durationDays,
    maxMissedDays,
    createdAt,
    updatedAt: createdAt,
  });
  const cycle = { id: newId(), appId, dayStarts, picture };
  const days = { ...plan, maxMissedDays, dayStarts: JSON.stringify(dayStarts) };
  const state = { status: "recruiting", closedDays: 0, nextAt: dayStarts[0] ?? null } as const;
  await cycles.insert(tx, { id: cycle.id, listingId, ...days, ...state, createdAt });
  for (let seat = 1; seat <= seats; seat += 1)
    await dueChanges.openSlot(tx, { id: newId(), cycleId: cycle.id, seat, createdAt });
  return cycle;
}

/** Returns the date of the first day, in the cycle's time zone. */
function firstDay(now: Date): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: demoTimezone }).format(now);
  return new Date(Date.parse(today) - (demoDay - 1) * 24 * hour).toISOString().slice(0, 10);
}

/** Records what happened on each day of the cycle up to today, and then the waiting requests for slots. */
async function recordCycle(
  seeding: CycleSeeding,
  { passwordHash, testKey }: Omit<DemoOwner, "appId">,
): Promise<void> {
  const { deps, tx, cycle } = seeding;
  const testerIds = new Map<string, string>();
  for (const { name } of [...demoTesters, ...demoRequests])
    testerIds.set(name, await makeTester(seeding, { email: addressOf(name), passwordHash }));
  const idOf = (name: string) => testerIds.get(name) ?? "";
  const given: DemoSlot[] = [];
  for (let day = 0; day <= demoDay; day += 1) {
    const start = cycle.dayStarts[day - 1];
    await advanceCycle(deps, tx, { id: cycle.id, now: start ?? "" });
    const at = day === 0 ? later(cycle.dayStarts[0], -20 * hour) : later(start, 9 * hour);
    for (const tester of demoTesters.filter(({ from }) => from === day)) {
      const key = tester.name === openTester ? testKey : undefined;
      given.push(await giveSlot(seeding, { tester, testerId: idOf(tester.name), at, key }));
    }
    for (const slot of given) await recordDay(seeding, { ...slot, day });
  }
  const now = deps.clock.now().toISOString();
  await advanceCycle(deps, tx, { id: cycle.id, now });
  for (const { name, seat, askedHoursAgo } of demoRequests) {
    const expiresAt = later(now, requestMilliseconds - askedHoursAgo * hour);
    await requestDemoSlot(seeding, seat, idOf(name), expiresAt);
  }
}

/** Creates the account of a tester, if an earlier seeding has not created it. Returns the id of the account. */
async function makeTester(
  { deps, tx, cycle }: CycleSeeding,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<string> {
  const known = await users.findByEmail(tx, email);
  if (known) return known.id;
  const id = deps.newId();
  const createdAt = later(cycle.dayStarts[0], -40 * hour);
  await users.insert(tx, { id, email, passwordHash, createdAt, emailVerifiedAt: createdAt });
  return id;
}

interface TesterDay extends DemoSlot {
  /** The day of the cycle, from 1. */
  readonly day: number;
}

/** Records what the tester does on `day`. A session of the day before that arrives late is recorded first. */
async function recordDay(seeding: CycleSeeding, testerDay: TesterDay): Promise<void> {
  const { day } = testerDay;
  if (letterOf(testerDay, day - 1) === "l") {
    const arrivedAt = later(seeding.cycle.dayStarts[day - 1], 7 * hour);
    const yesterday = { ...testerDay, day: day - 1 };
    await recordSession(seeding, { ...yesterday, startedAt: startOf(seeding, yesterday), arrivedAt });
  }
  const startedAt = startOf(seeding, testerDay);
  const letter = startedAt === undefined ? "-" : letterOf(testerDay, day);
  if (letter === "b" || letter === "r")
    await recordSession(seeding, { ...testerDay, startedAt: later(startedAt, -4 * minute), short: true });
  if (letter === "s" || letter === "r") await recordSession(seeding, { ...testerDay, startedAt });
  if (letter === "p") await recordProof(seeding, { ...testerDay, startedAt });
}

const letterOf = ({ tester: { from, days } }: DemoSlot, day: number): string | undefined =>
  days[day - Math.max(1, from)];

/** Returns when a tester tests on a day, always before now. Undefined if the day has just begun. */
function startOf({ deps, cycle }: CycleSeeding, { tester, day }: TesterDay): string | undefined {
  const start = cycle.dayStarts[day - 1];
  const sinceStart = deps.clock.now().getTime() - Date.parse(start ?? "");
  const usual = 8 * hour + ((tester.seat * 97 + day * 31) % 720) * minute;
  const at = Math.floor(Math.min(usual, sinceStart * (0.4 + tester.seat / 30)));
  return at > 5 * minute && sinceStart - at > 5 * minute ? later(start, at) : undefined;
}

interface TestedDay extends TesterDay {
  readonly startedAt: string | undefined;
  /** When the server received the session from the app. The default is immediately after the session. */
  readonly arrivedAt?: string;
  /** Whether the session was too short to count. */
  readonly short?: boolean;
}

/** Records a test session. The day counts if the session was long enough. */
async function recordSession(
  { deps, tx, cycle }: CycleSeeding,
  { slotId, tester: { seat }, day, startedAt, arrivedAt, short = false }: TestedDay,
): Promise<void> {
  const seconds = short ? 18 + seat : 70 + ((seat * 41 + day * 67) % 190);
  const endedAt = later(startedAt, seconds * 1_000);
  const at = arrivedAt ?? later(endedAt, 1_400);
  const id = deps.newId();
  await testSessions.record(tx, slotId, {
    id,
    dayIndex: day,
    startedAt: later(startedAt, 0),
    endedAt,
    receivedAt: at,
    screens: JSON.stringify(screensOf(seat + day, short ? 1 : 2 + ((seat + day) % 3))),
    appVersion: day < 6 ? "2.4.0" : "2.4.1",
    reason: short ? "session_below_bar" : null,
  });
  if (short) return;
  const counted = { slotId, cycleId: cycle.id, dayIndex: day, kind: "session", evidenceId: id, at } as const;
  await countedDays.count(tx, counted);
}

const screensOf = (from: number, count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => demoListing.screens[(from + at) % demoListing.screens.length] ?? "",
  );

/** Records a proof with one image. The proof makes its day count. */
async function recordProof(
  { deps, tx, cycle }: CycleSeeding,
  { slotId, tester, day, startedAt: capturedAt = "" }: TestedDay,
): Promise<void> {
  const id = deps.newId();
  const createdAt = later(capturedAt, 40_000);
  const note = demoProofNotes[(tester.seat + day) % demoProofNotes.length] ?? null;
  await proofs.insert(tx, { id, slotId, dayIndex: day, capturedAt, queuedAt: null, note, createdAt });
  const upload = uploadOf(cycle.picture, "image/png");
  await uploads.insert(tx, { ...upload, appId: cycle.appId, proofId: id, createdAt });
  const counted = { slotId, cycleId: cycle.id, dayIndex: day, kind: "proof", evidenceId: id } as const;
  await countedDays.count(tx, { ...counted, at: createdAt });
}

interface DemoSlot {
  readonly slotId: string;
  readonly tester: DemoTester;
}

/** Requests a slot for a tester and accepts the request. */
async function giveSlot(
  seeding: CycleSeeding,
  {
    tester,
    testerId,
    at,
    key = mintCredential("stk_"),
  }: {
    readonly tester: DemoTester;
    readonly testerId: string;
    readonly at: string;
    /** The test key. By default a new key is created. */
    readonly key?: string | undefined;
  },
): Promise<DemoSlot> {
  const { deps, tx } = seeding;
  const expiresAt = later(at, requestMilliseconds);
  const slotId = await requestDemoSlot(seeding, tester.seat, testerId, expiresAt);
  const active = { at, fromDay: tester.from, keyHash: hashOf(key), keySealed: deps.sealer.seal(key) };
  await slots.accept(tx, slotId, active);
  return { slotId, tester };
}

/** Requests the slot with this number for a tester. Returns the id of the slot. */
async function requestDemoSlot(
  { tx, cycle }: Pick<CycleSeeding, "tx" | "cycle">,
  seat: number,
  testerId: string,
  expiresAt: string,
): Promise<string> {
  const rows = await slots.list(tx, cycle.id);
  const open = rows.find((row) => row.seat === seat && row.status === "open");
  if (!open) throw new Error(`Slot ${seat} of the demo is not open`);
  await testerSlots.request(tx, open.id, { testerId, expiresAt });
  return open.id;
}

interface DemoCycle {
  readonly id: string;
  readonly appId: string;
  /** The instants at which the days begin. The last item is the end of the last day. */
  readonly dayStarts: readonly string[];
  /** The image that all proofs contain. */
  readonly picture: ReceivedFile;
}

/** The parameters of the functions that add the slots and days of the demo's cycle. */
interface CycleSeeding {
  readonly deps: Pick<Deps, "clock" | "newId" | "sealer">;
  readonly tx: Transaction;
  readonly cycle: DemoCycle;
}

const minute = 60_000;

const hour = 60 * minute;

/** Returns the instant `milliseconds` after `at`, in ISO 8601. */
const later = (at: string | undefined, milliseconds: number): string =>
  new Date(Date.parse(at ?? "") + milliseconds).toISOString();

type Colour = readonly [red: number, green: number, blue: number];

const [width, height] = [270, 480];

const background: Colour = [250, 248, 245];

const accent: Colour = [28, 95, 77];

const ink: Colour = [214, 207, 195];

/** Returns a PNG that looks like a list on a phone: a bar, then lines with squares. */
function demoPicture(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(pixels())),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns the rows of the picture. Each row has one byte for its filter, then three bytes for each pixel. */
function pixels(): Buffer {
  const stride = 1 + 3 * width;
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const paint = (colour: Colour, from: number, to: number) =>
      rows.fill(Uint8Array.from(colour), y * stride + 1 + 3 * from, y * stride + 1 + 3 * to);
    paint(y < 56 ? accent : background, 0, width);
    const [line, within] = [Math.floor((y - 56) / 48), (y - 56) % 48];
    if (within > 15 && within < 33) paint(line % 3 === 0 ? accent : ink, 21, 38);
    if (within > 19 && within < 29) paint(ink, 55, 54 + 110 + ((line * 53) % 90));
  }
  return rows;
}

function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
