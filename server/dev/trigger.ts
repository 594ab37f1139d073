import { agent as agentEndpoints } from "../../src/contract/agent.ts";
import { consoleChangelog } from "../../src/contract/changelog.ts";
import { keys, tokens } from "../../src/contract/credentials.ts";
import { cycles, listings, slots } from "../../src/contract/cycles.ts";
import { agentScopes, deviceScopes, maintainerScopes } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { type AppEvent, type EventType, events } from "../../src/contract/events.ts";
import { consoleFaqs } from "../../src/contract/faqs.ts";
import { feedback } from "../../src/contract/feedback.ts";
import { type Fields, textAt } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import { runs } from "../../src/contract/runs.ts";
import { sessions } from "../../src/contract/test-sessions.ts";
import { tester as testerEndpoints } from "../../src/contract/tester.ts";
import { threads } from "../../src/contract/threads.ts";
import { users } from "../access/accounts/store.ts";
import { apps } from "../access/apps/store.ts";
import type { Ask, CallOrigin } from "../console/page-reads.ts";
import type { Deps } from "../deps.ts";
import { type Authenticate, nothingPresented } from "../http/authenticate.ts";
import type { AppCaller, ConsoleCaller } from "../http/handler.ts";
import { hashPassword } from "../secrets/passwords.ts";
import { randomName } from "../secrets/secrets.ts";
import type { DevActions } from "./actions.ts";

/** The event that a developer requests. */
interface WantedEvent {
  readonly event: EventType;
  /** The id or the name of the app; the oldest app by default. */
  readonly app: string | undefined;
  /** Fields of the request that causes the event. */
  readonly set: Fields;
}

/** Causes an event. Returns all events of the app that followed. */
export type Trigger = (wanted: WantedEvent) => Promise<readonly AppEvent[]>;

type TriggerDeps = Pick<Deps, "clock" | "database" | "newId" | "settings">;

interface TriggerParts {
  readonly asks: (origin: CallOrigin) => Ask;
  readonly actions: Pick<DevActions, "moveClock">;
  readonly authenticate: Authenticate;
}

/** Causes events on a development server through the public endpoints. So every event is real. (rule O35) */
export const createTrigger =
  (deps: TriggerDeps, parts: TriggerParts): Trigger =>
  async ({ event, app, set }) => {
    const scene = await sceneOf(deps, parts, app);
    const { person, appId } = scene;
    // Reports become events only if the app has a receiver. After this request, the app has a receiver.
    const { next } = await person(events.list, { params: { appId } });
    const about = await happenings[event](scene, set);
    return eventsSince(scene, { since: next, event, about });
  };

/** The ids of the object that the wanted event is about. Empty if there is no such object. */
type About = Readonly<Record<string, string>>;

/** The app in which the events happen, and the people and programs that act in it. */
interface Scene {
  readonly deps: TriggerDeps;
  readonly appId: string;
  readonly name: string;
  /** An owner of the app, signed in to the console. */
  readonly person: Ask;
  /** Runs `work` as the app, with a key that exists only while `work` runs. */
  readonly asApp: <Result>(work: (app: Ask) => Promise<Result>) => Promise<Result>;
  /** Returns an agent with a token of the owner. */
  readonly agent: () => Promise<Ask>;
  /** Returns a new tester. */
  readonly tester: () => Promise<Ask>;
  /** Moves the clock to an instant, if it is later than now. */
  readonly moveTo: (instant: string) => Promise<void>;
}

async function sceneOf(
  deps: TriggerDeps,
  { asks, actions, authenticate }: TriggerParts,
  named: string | undefined,
): Promise<Scene> {
  const { database, clock, newId } = deps;
  const app = await apps.oldest(database, named);
  if (!app)
    throw new ApiError("not_found", {
      message: named === undefined ? "There is no app yet." : `There is no app with the id or name ${named}.`,
    });
  const owner = await users.find(database, app.ownerId);
  const as = (caller: CallOrigin["caller"]) => asks({ ...localOrigin(deps), caller });
  const caller = ownerCaller(app.ownerId, owner?.email ?? "");
  const person = as(caller);
  const { id: appId } = app;
  return {
    ...{ deps, appId, person },
    name: (await person(listings.list, { params: { appId } })).items[0]?.appName ?? "Test",
    asApp: (work) => withKey({ appId, person, authenticate }, (key) => work(as(key))),
    async agent() {
      const id = await agentTokenOf(person, appId);
      return as({ kind: "agentToken", id, userId: app.ownerId, appId, needs: "owner", scopes: agentScopes });
    },
    async tester() {
      const userId = newId();
      const email = `tester-${userId.slice(-8)}@example.org`;
      const passwordHash = await hashPassword(randomName());
      const createdAt = clock.now().toISOString();
      await database.write((tx) =>
        users.insert(tx, { id: userId, email, passwordHash, createdAt, emailVerifiedAt: createdAt }),
      );
      return as({ kind: "deviceToken", id: newId(), userId, email, scopes: deviceScopes });
    },
    async moveTo(instant) {
      if (instant > clock.now().toISOString()) await actions.moveClock({ set: instant });
    },
  };
}

const localOrigin = ({ settings }: TriggerDeps): Omit<CallOrigin, "caller"> => ({
  address: "127.0.0.1",
  browser: { origin: settings.baseUrl, sessionId: undefined, known: undefined, userAgent: undefined },
  setSession() {},
});

const ownerCaller = (userId: string, email: string): ConsoleCaller => ({
  ...{ kind: "session", id: "dev-trigger", userId, email },
  ...{ scopes: maintainerScopes, appId: null, needs: "owner" },
});

/** Creates a key of the app, runs `work` as the app with this key, and then revokes the key. */
async function withKey<Result>(
  { appId, person, authenticate }: Pick<TriggerParts, "authenticate"> & Pick<Scene, "appId" | "person">,
  work: (caller: AppCaller) => Promise<Result>,
): Promise<Result> {
  const { id, key } = await person(keys.create, { params: { appId }, body: { label, kind: "intake" } });
  try {
    return await work(await authenticate("appKey", { ...nothingPresented, apiKey: key }));
  } finally {
    await person(keys.remove, { params: { appId, keyId: id } });
  }
}

/** The name of the key and of the token that a trigger uses. */
const label = "dev trigger";

/** Returns the id of the agent's token. The token is created at the first use. */
async function agentTokenOf(person: Ask, appId: string): Promise<string> {
  const { items } = await person(tokens.list);
  const known = items.find((token) => token.label === label && token.appId === appId && !token.ended);
  if (known) return known.id;
  const body = { kind: "agent", label, scopes: [...agentScopes], appId };
  return (await person(tokens.create, { body })).id;
}

type Happening = (scene: Scene, set: Fields) => Promise<About>;

const happenings: Readonly<Record<EventType, Happening>> = {
  async "feedback.created"(scene, set) {
    return { feedbackId: await report(scene, set) };
  },

  async "feedback.repeated"(scene, set) {
    const repeated = { dedupeKey: `trigger-${scene.deps.newId()}`, ...set };
    await report(scene, repeated);
    return { feedbackId: await report(scene, repeated) };
  },

  async "feedback.replied"(scene, set) {
    const { feedbackId, fields } = await threadOf(scene, set);
    const body = { direction: "outbound", body: "Thank you. We are looking into it.", ...fields };
    await scene.person(threads.addMessage, { params: { id: feedbackId }, body });
    return { feedbackId };
  },

  async "feedback.changed"(scene, set) {
    const { feedbackId, fields } = await threadOf(scene, set);
    const body = Object.keys(fields).length > 0 ? fields : { status: "in_progress" };
    await scene.person(threads.update, { params: { id: feedbackId }, body });
    return { feedbackId };
  },

  async "run.proposed"(scene, set) {
    return { runId: await propose(scene, set) };
  },

  async "run.decided"(scene, set) {
    const { runId, fields } = await runOf(scene, set, propose);
    await decide(scene, runId, fields);
    return { runId };
  },

  async "run.claimed"(scene, set) {
    const { runId, fields } = await runOf(scene, set, approved);
    await claim(scene, runId, fields);
    return { runId };
  },

  async "run.finished"(scene, set) {
    const { runId, fields } = await runOf(scene, set, approved);
    const claimId = await claim(scene, runId, {});
    const body = { claimId, status: "succeeded", summary: "Done. The tests pass.", ...fields };
    await (await scene.agent())(agentEndpoints.reportOutcome, { params: { runId }, body });
    return { runId };
  },

  async "faq.changed"({ person, appId }, set) {
    const body = { question: "Where is my data?", answer: "On your device.", ...set };
    await person(consoleFaqs.create, { params: { appId }, body });
    return {};
  },

  async "changelog.published"({ person, appId, deps }, set) {
    const version = `0.0.${deps.clock.now().getTime()}`;
    const note = { title: "A small release", version, body: "Lists open faster.", publish: true };
    const { id } = await person(consoleChangelog.create, { params: { appId }, body: { ...note, ...set } });
    return { entryId: id };
  },

  async "seat.requested"(scene, set) {
    const test = await planTest(scene, set, { startsIn: 1 });
    await (await scene.tester())(testerEndpoints.requestSlot, slotInput(test.slotId));
    return { slotId: test.slotId };
  },

  async "seat.filled"(scene, set) {
    const { slotId } = await planTest(scene, set, { startsIn: 1 });
    await fill(scene, slotId);
    return { slotId };
  },

  async "seat.at_risk"(scene, set) {
    const test = await planTest(scene, set, { startsIn: 1 });
    await fill(scene, test.slotId);
    await scene.moveTo(endOfDay(test, 1));
    return { slotId: test.slotId };
  },

  async "seat.removed"(scene, set) {
    const test = await planTest(scene, set, { startsIn: 1 });
    await fill(scene, test.slotId);
    // A tester who has missed too many days loses the slot at the end of the next day.
    for (let day = 1; day <= test.maxMissedDays + 1; day += 1) await scene.moveTo(endOfDay(test, day));
    return { slotId: test.slotId };
  },

  async "day.counted"(scene, set) {
    const { fields, rest } = sessionFields(set);
    const { slotId, screens, startsAt } = await planTest(scene, rest, { startsIn: 0 });
    const tester = await fill(scene, slotId);
    const held = (await tester(testerEndpoints.slots)).slots.find((slot) => slot.slotId === slotId);
    const now = scene.deps.clock.now().getTime();
    const startedAt = Math.max(Date.parse(startsAt), now - 90_000);
    const body = {
      ...{ testKey: held?.testKey ?? "", screens, appVersion: "2.4.0" },
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(startedAt + 60_000).toISOString(),
      ...fields,
    };
    const { counted, reason } = await scene.asApp((app) => app(sessions.report, { body }));
    if (!counted) throw new ApiError("bad_request", { message: `The day does not count: ${reason}.` });
    return { slotId };
  },

  async "cycle.started"(scene, set) {
    const { cycleId, startsAt } = await planTest(scene, set, { startsIn: 1 });
    await scene.moveTo(startsAt);
    return { cycleId };
  },

  async "cycle.completed"(scene, set) {
    const test = await planTest(scene, set, { startsIn: 0 });
    // The cycle ends one day after its last day, because late sessions count until then.
    await scene.moveTo(endOfDay(test, test.durationDays + 1));
    return { cycleId: test.cycleId };
  },
};

/** Sends a report as the app. Returns the id of its thread. */
async function report({ asApp }: Scene, set: Fields): Promise<string> {
  const sender = { email: "mara@example.org", name: "Mara" };
  const body = { type: "bug", message: "The list is empty after syncing.", ...sender, ...set };
  return (await asApp((app) => app(feedback.submit, { body }))).id;
}

/** Returns the given `feedbackId`, or the id of a new thread. Also returns the other fields. */
async function threadOf(scene: Scene, { feedbackId, ...fields }: Fields) {
  return { feedbackId: typeof feedbackId === "string" ? feedbackId : await report(scene, {}), fields };
}

/** Proposes a plan as an agent. Returns the id of the proposal. */
async function propose(scene: Scene, set: Fields): Promise<string> {
  const { feedbackId, fields } = await threadOf(scene, set);
  const plan = "1. Find the cause.\n2. Write a test that fails.\n3. Fix it.";
  const body = { summary: "Fix the empty list", plan, ...fields };
  return (await (await scene.agent())(agentEndpoints.propose, { params: { id: feedbackId }, body })).runId;
}

/** Returns the given `runId`, or the id of a new proposal. Also returns the other fields. */
async function runOf(
  scene: Scene,
  { runId, ...fields }: Fields,
  make: (scene: Scene, set: Fields) => Promise<string>,
) {
  return { runId: typeof runId === "string" ? runId : await make(scene, {}), fields };
}

const decide = ({ person }: Scene, runId: string, fields: Fields) =>
  person(runs.decide, { params: { runId }, body: { decision: "approve", ...fields } });

async function approved(scene: Scene): Promise<string> {
  const runId = await propose(scene, {});
  await decide(scene, runId, {});
  return runId;
}

async function claim(scene: Scene, runId: string, fields: Fields): Promise<string> {
  const body = { worker: "dev-trigger", ...fields };
  return (await (await scene.agent())(agentEndpoints.claimRun, { params: { runId }, body })).claimId;
}

/** A closed test that was planned for an event. */
interface PlannedTest {
  readonly cycleId: string;
  readonly slotId: string;
  readonly screens: readonly string[];
  readonly startsAt: string;
  readonly durationDays: number;
  readonly maxMissedDays: number;
}

const dayMs = 86_400_000;

/**
 * Plans a short test with one slot. The first day begins today or tomorrow. `set` has fields of the listing.
 */
async function planTest(
  { person, appId, name, deps }: Scene,
  set: Fields,
  { startsIn }: { readonly startsIn: 0 | 1 },
): Promise<PlannedTest> {
  const offer = {
    ...{
      appName: name,
      packageName: "com.example.trigger",
      optInUrl: "https://play.google.com/apps/testing/",
    },
    ...{ testBrief: "Open the list.", screens: ["Home", "Settings"], verificationTier: "sdk" },
    ...{ seats: 1, durationDays: 3, maxMissedDays: 1 },
  };
  const listing = await person(listings.create, { params: { appId }, body: { ...offer, ...set } });
  const startsOn = new Date(deps.clock.now().getTime() + startsIn * dayMs).toISOString().slice(0, 10);
  const body = { startsOn, timezone: "UTC" };
  const { cycle, slots: open } = await person(cycles.create, { params: { listingId: listing.id }, body });
  const { durationDays, maxMissedDays, startsAt } = cycle;
  const slotId = open[0]?.slotId ?? "";
  return { cycleId: cycle.id, slotId, screens: listing.screens, startsAt, durationDays, maxMissedDays };
}

const endOfDay = ({ startsAt }: PlannedTest, day: number): string =>
  new Date(Date.parse(startsAt) + day * dayMs).toISOString();

const slotInput = (slotId: string) => ({ params: { slotId }, body: {} });

/** Requests a slot as a new tester, and accepts the request as the owner. Returns the tester. */
async function fill({ person, tester }: Scene, slotId: string): Promise<Ask> {
  const ask = await tester();
  await ask(testerEndpoints.requestSlot, slotInput(slotId));
  await person(slots.accept, slotInput(slotId));
  return ask;
}

/** Separates the fields of a test session from the fields of a listing. */
function sessionFields({ startedAt, endedAt, appVersion, screens, ...rest }: Fields) {
  const given = { startedAt, endedAt, appVersion, screens };
  return {
    fields: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    rest,
  };
}

/** The maximum number of reads for one event. On PostgreSQL, an event may become visible a little later. */
const mostReads = 20;

/** Returns the events of the app since a position. Throws `wrong_state` if the wanted event is not among them. */
async function eventsSince(
  { person, appId }: Scene,
  { since, event, about }: { readonly since: string; readonly event: EventType; readonly about: About },
): Promise<readonly AppEvent[]> {
  const found: AppEvent[] = [];
  let position = since;
  for (let read = 0; read < mostReads; read += 1) {
    const query = { since: position, wait: "5", limit: String(limits.listPage.max) };
    const { items, next } = await person(events.list, { params: { appId }, query });
    found.push(...items);
    position = next;
    const isThere = found.some((one) => one.type === event && isAbout(one, about));
    if (isThere && items.length < limits.listPage.max) return found;
    if (items.length === 0) break;
  }
  throw new ApiError("wrong_state", { message: `The event ${event} did not happen.` });
}

const isAbout = ({ data }: AppEvent, about: About): boolean =>
  Object.entries(about).every(([name, id]) => textAt(data, name) === id);
