import { randomBytes } from "node:crypto";
import type { Role } from "../../../src/contract/endpoint.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { LiveKind } from "../../../src/contract/events.ts";
import type { Clock } from "../../clock.ts";
import type { Database, Reader } from "../../database/database.ts";
import {
  answeringTopic,
  credentialsTopic,
  everyTopic,
  sessionsTopic,
  slotsTopic,
  threadsTopic,
} from "../../database/transaction.ts";
import type { EventConnection } from "../../http/answers.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import type { Settings } from "../../settings/settings.ts";
import { type ThreadWatch, threadChanges } from "../agent-work/store/changes.ts";
import { liveReads, type Place } from "./store.ts";

/** The connections of browsers that receive events. (rules F70 to F74) */
export interface LiveConnections {
  /**
   * Returns `busy` if the server has too many connections, and `rate_limited` if the session or the person has
   * too many.
   */
  refusalFor(caller: LiveCaller): ApiError | undefined;
  /** Prepares a connection. Returns the function that opens the connection. */
  prepare(caller: LiveCaller, known: Known): Promise<(connection: EventConnection) => void>;
  readonly count: () => number;
}

type LiveCaller = Pick<ConsoleCaller, "id" | "userId">;

/** The maximum number of connections of one session. The tabs of a browser share one connection. */
const mostOfSession = 20;

/** The maximum number of connections of all sessions of one person. */
const mostOfAccount = 100;

/**
 * Each connection gets a line without content at this interval in milliseconds. Otherwise proxies might close
 * the connection.
 */
const beatMs = 25_000;

/**
 * The minimum time in milliseconds between two reads of the database. One read finds all changes since the
 * previous read.
 */
const gapMs = 250;

/**
 * On PostgreSQL, permissions are read at this interval in milliseconds. (rule A22) After an error, changes are
 * read after this time.
 */
const againMs = 5_000;

/**
 * The process reads changes for this time in milliseconds after the last connection has closed. Browsers may
 * connect again.
 */
const lingerMs = 60_000;

interface LiveDeps {
  readonly clock: Clock;
  readonly database: Database;
  readonly log: { readonly warn: (fields: object, message: string) => void };
  readonly settings: Pick<Settings, "budgets">;
  readonly stopping: AbortSignal;
  readonly threadWatch: ThreadWatch;
}

/**
 * Creates the object that manages the connections of this process. One database read serves all connections.
 */
export function createLiveConnections(deps: LiveDeps): LiveConnections {
  const { clock, database, settings, stopping } = deps;
  const open = new Set<Connection>();
  const watch = createWatch(deps, open);
  const now = () => clock.now().toISOString();

  function refusalFor({ id, userId }: LiveCaller): ApiError | undefined {
    if (open.size >= settings.budgets.liveConnections)
      return tooMany("busy", "The server has too many open connections for events. Try again later.");
    const own = [...open].filter((connection) => connection.userId === userId);
    if (own.filter(({ sessionId }) => sessionId === id).length >= mostOfSession)
      return tooMany("rate_limited", `This session has ${mostOfSession} ${closeOne}`);
    if (own.length >= mostOfAccount)
      return tooMany("rate_limited", `Your sessions have ${mostOfAccount} ${closeOne}`);
    return undefined;
  }

  stopping.addEventListener("abort", () => {
    for (const { end } of open) end();
    watch.stop();
  });

  return {
    refusalFor,
    count: () => open.size,
    async prepare(caller, known) {
      const { id: sessionId, userId } = caller;
      const { history } = await watch.start();
      // If the client disconnects before the connection is open, nothing else stops the watch.
      watch.stopLater();
      const roles = (await rolesOf(database, [userId])).get(userId) ?? new Map();
      return ({ send, end, onClose }) => {
        if (stopping.aborted || refusalFor(caller)) return end();
        const connection: Connection = { sessionId, userId, send, end, roles };
        open.add(connection);
        onClose(() => {
          open.delete(connection);
          if (open.size === 0) watch.stopLater();
        });
        send(`retry: ${pauseOf(Math.random())}\n\n`);
        const events = history.missed(known, now());
        const position = history.position();
        watch.inTurn(async () => {
          // The roles were read before the connection was open. The roles may have changed since then.
          await checkRights(database, [connection], now());
          await deliver(database, [connection], { events, now: now() });
          send(position);
        });
      };
    },
  };
}

const closeOne = "open connections for events. Close one of them first.";

const tooMany = (code: "busy" | "rate_limited", message: string): ApiError =>
  new ApiError(code, { message, retryAfterSeconds: 60 });

/**
 * Returns the random pause before a browser connects again, in milliseconds. Browsers must not connect all at
 * once.
 */
const pauseOf = (random: number): number => Math.round(2_000 + random * 4_000);

/** The state that `createWatch` keeps while this process reads changes. */
interface Reading {
  /** The position in the sequence of thread changes up to which this process has read. */
  mark: string;
  readonly history: History;
  readonly end: () => void;
}

/** Creates the watch, which reads changes and sends them to the open connections. */
function createWatch({ clock, database, log, threadWatch }: LiveDeps, open: ReadonlySet<Connection>) {
  /** The topics of the signals since the last read. */
  const heard = new Set<string>();
  let reading: Promise<Reading> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lingering: NodeJS.Timeout | undefined;
  let earliest = Number.NEGATIVE_INFINITY;
  /** The end of the last task. Each connection gets its events in order, because tasks do not overlap. */
  let work: Promise<void> = Promise.resolve();
  const now = () => clock.now().toISOString();

  function inTurn(task: () => Promise<void>): void {
    work = work.then(task).catch((error) => {
      log.warn({ err: error }, "events could not be sent");
      // After an error, it is unknown which changes were missed. Every page reads everything again after a
      // pause.
      earliest = performance.now() + againMs;
      hear(everyTopic);
    });
  }

  function hear(topic: string): void {
    if (!reading || !isOfInterest(topic)) return;
    heard.add(topic);
    timer ??= setTimeout(look, Math.max(0, earliest - performance.now())).unref();
  }

  function look(): void {
    timer = undefined;
    earliest = performance.now() + gapMs;
    const topics = [...heard];
    heard.clear();
    inTurn(async () => {
      const present = await reading;
      if (!present) return;
      if (topics.some(changesRights)) await checkRights(database, [...open], now());
      const { mark, changes } = await readChanges(database, present.mark, topics);
      present.mark = mark;
      const events = present.history.add(changes, now());
      await deliver(database, [...open], { events, now: now() });
    });
  }

  async function begin(): Promise<Reading> {
    const history = createHistory(now());
    // Subscribes before the first read. Otherwise changes between the first read and the subscription would be
    // missed.
    const stopSignals = database.onSignal(hear);
    const stopForeign = database.onForeignChange(() => hear(everyTopic));
    const stopThreads = threadWatch.listen(() => hear(threadsChanged));
    const stopListening = () => {
      for (const stop of [stopSignals, stopForeign, stopThreads]) stop();
    };
    const mark = await threadChanges.present(database).catch((error) => {
      stopListening();
      throw error;
    });
    const beat = setInterval(() => {
      hear(sessionsTopic);
      for (const { send } of open) send(":\n\n");
    }, beatMs).unref();
    const check = setInterval(() => database.engine === "postgres" && hear(sessionsTopic), againMs).unref();
    const end = () => {
      stopListening();
      clearInterval(beat);
      clearInterval(check);
    };
    return { mark, history, end };
  }

  function stop(): void {
    void reading?.then(({ end }) => end());
    reading = undefined;
    clearTimeout(lingering);
    clearTimeout(timer);
    timer = undefined;
    heard.clear();
  }

  return {
    inTurn,
    stop,
    /** Begins to read changes. Does nothing if the process already reads changes. */
    start(): Promise<Reading> {
      clearTimeout(lingering);
      reading ??= begin().catch((error) => {
        reading = undefined;
        throw error;
      });
      return reading;
    },
    /**
     * Stops reading after a pause. Does not stop if a connection is open or if `start` was called meanwhile.
     */
    stopLater(): void {
      clearTimeout(lingering);
      lingering = setTimeout(() => open.size === 0 && stop(), lingerMs).unref();
    },
  };
}

interface Connection extends Pick<EventConnection, "send" | "end"> {
  readonly sessionId: string;
  readonly userId: string;
  /** The roles of the person at the time of the last read. */
  roles: RolesByApp;
}

/** Sends events to the people who may see them, and ends connections whose session has ended. (rule F71) */
async function deliver(
  reader: Reader,
  to: readonly Connection[],
  { events, now }: { readonly events: readonly SentEvent[]; readonly now: string },
): Promise<void> {
  if (to.length === 0 || events.length === 0) return;
  const sessions = await liveReads.liveSessions(reader, sessionsOf(to), now);
  const members = await liveReads.membersOf(
    reader,
    events.flatMap(({ appId }) => appId ?? []),
  );
  const apps = new Map<string, Set<string>>();
  for (const { userId, appId } of members) apps.set(userId, (apps.get(userId) ?? new Set()).add(appId));
  for (const { sessionId, userId, send, end } of to) {
    const own = events.filter((event) => mayKnow(event, apps.get(userId)));
    if (!sessions.has(sessionId)) end();
    else if (own.length > 0) send(own.map(({ text }) => text).join(""));
  }
}

/**
 * Ends connections without a valid session or with lost permissions. Sends an event for new permissions.
 * (rule F72)
 */
async function checkRights(reader: Reader, all: readonly Connection[], now: string): Promise<void> {
  if (all.length === 0) return;
  const sessions = await liveReads.liveSessions(reader, sessionsOf(all), now);
  const roles = await rolesOf(
    reader,
    all.map(({ userId }) => userId),
  );
  for (const connection of all) {
    const present = roles.get(connection.userId) ?? new Map();
    if (!sessions.has(connection.sessionId) || hasLost(connection.roles, present)) connection.end();
    else if (!areSame(connection.roles, present)) connection.send(textOf({ kind: "everything" }, now));
    connection.roles = present;
  }
}

/** Returns the roles of each person, by app. */
async function rolesOf(reader: Reader, userIds: readonly string[]): Promise<ReadonlyMap<string, RolesByApp>> {
  const roles = new Map<string, Map<string, Role>>();
  for (const { userId, appId, role } of await liveReads.membershipsOf(reader, userIds))
    roles.set(userId, (roles.get(userId) ?? new Map()).set(appId, role));
  return roles;
}

const sessionsOf = (connections: readonly Connection[]) => connections.map(({ sessionId }) => sessionId);

/** The maximum number of changes in one read. More changes become one change of the kind `everything`. */
const mostChanges = 100;

/** Changes, and the position in the sequence of thread changes up to which they were read. */
interface Read {
  readonly mark: string;
  readonly changes: readonly Change[];
}

/**
 * Returns the changes for the topics. Reads the sequence of thread changes too, because new reports signal no
 * topic.
 */
async function readChanges(reader: Reader, mark: string, topics: readonly string[]): Promise<Read> {
  if (topics.length > mostChanges || topics.some(meansEverything))
    return { mark: await threadChanges.present(reader), changes: everything };
  const changes: Change[] = [];
  for (const topic of topics) changes.push(...(await changesOf(reader, topic)));
  if (!topics.some(mayChangeThreads)) return { mark, changes: combine(changes) };
  const { mark: next, threads } = await liveReads.threadsAfter(reader, mark, mostChanges);
  const ofThreads: readonly Change[] = threads?.map((place) => ({ kind: "thread", ...place })) ?? everything;
  return { mark: next, changes: combine([...changes, ...ofThreads]) };
}

const everything: readonly Change[] = [{ kind: "everything" }];

async function changesOf(reader: Reader, topic: string): Promise<Change[]> {
  const { name, id } = partsOf(topic);
  if (id === "") return [];
  if (name === "app") return [{ kind: "content", appId: id }];
  if (name === "lists") return [{ kind: "thread", appId: id }];
  if (name === "access") return [{ kind: "app", appId: id }];
  const found = placeIn(topic);
  const place = found && (await liveReads.placeOf(reader, found.place, id));
  return found && place ? [{ kind: found.kind, ...place }] : [];
}

/** The topic for new entries in the sequence of thread changes. The database never signals this topic. */
const threadsChanged = "thread:";

/** The keys are names of topics. `kind` is the kind of events. `place` is what the topic's id identifies. */
const places: ReadonlyMap<string, { readonly kind: Change["kind"]; readonly place: Place }> = new Map([
  [partsOf(threadsChanged).name, { kind: "thread", place: "thread" }],
  [partsOf(answeringTopic("")).name, { kind: "answering", place: "thread" }],
  ["run", { kind: "proposal", place: "proposal" }],
  ["listing", { kind: "testing", place: "listing" }],
  ["cycle", { kind: "testing", place: "cycle" }],
  ["seat", { kind: "testing", place: "slot" }],
]);

/** Returns the parts of a topic such as `thread:ID`. */
function partsOf(topic: string): { readonly name: string; readonly id: string } {
  const at = topic.indexOf(":");
  return at < 0 ? { name: topic, id: "" } : { name: topic.slice(0, at), id: topic.slice(at + 1) };
}

const placeIn = (topic: string) => places.get(partsOf(topic).name);

const meansEverything = (topic: string): boolean => [everyTopic, threadsTopic, slotsTopic].includes(topic);

const mayChangeThreads = (topic: string): boolean => partsOf(topic).name === "thread";

/** Whether a topic means that a session may have ended or a membership may have changed. */
const changesRights = (topic: string): boolean =>
  [everyTopic, credentialsTopic, sessionsTopic].includes(topic) ||
  ["access", "user"].includes(partsOf(topic).name);

/** Whether a topic may lead to an event or to the end of a connection. */
const isOfInterest = (topic: string): boolean =>
  meansEverything(topic) ||
  changesRights(topic) ||
  mayChangeThreads(topic) ||
  ["app", "lists"].includes(partsOf(topic).name) ||
  placeIn(topic) !== undefined;

/** The data that a browser has already received. */
interface Known {
  /** The id of the last event that the browser has received. */
  readonly lastEventId: string | undefined;
  /** The time at which the browser read the data that it shows. */
  readonly since: string | undefined;
}

/** An event in the form in which it is sent. */
interface SentEvent extends Change {
  readonly number: number;
  readonly at: string;
  /** The lines of the event stream. */
  readonly text: string;
}

/** The last events of this process. A browser that connects again gets the events that it has missed. (rule F73) */
interface History {
  /** Converts changes to events, adds the events to the history, and returns them. */
  add(changes: readonly Change[], at: string): SentEvent[];
  /** Returns the events that a browser has missed, or one event `everything` if the history is too short. */
  missed(known: Known, now: string): readonly SentEvent[];
  /** Returns the line of the event stream with the id of the last event. */
  position(): string;
}

/** The maximum number of events in the history. */
const mostKept = 500;

/**
 * A browser also gets the events of this many milliseconds before `since`, because the clocks of servers
 * differ.
 */
const marginMs = 2_000;

/** Returns the lines of the event stream for an event. Events outside the history have no `id`. */
const textOf = ({ kind, appId, threadId }: Change, at: string, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ kind, appId, threadId, at })}\n\n`;

/** Creates the history of the changes since `begun`. */
export function createHistory(begun: string): History {
  // The ids of events contain this text. Other processes, and earlier histories, have other texts.
  const epoch = randomBytes(6).toString("hex");
  const events: SentEvent[] = [];
  let last = 0;
  // The history has all events after this time. Some events at exactly this time may be missing.
  let completeAfter = begun;

  /** Returns the number in an event id. Returns undefined if the id does not belong to this history. */
  function numberIn(id: string): number | undefined {
    const [, given, digits = ""] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(id) ?? [];
    return given === epoch && Number(digits) <= last ? Number(digits) : undefined;
  }

  function missedAfter(id: string): readonly SentEvent[] | undefined {
    const number = numberIn(id);
    const isKnown = number !== undefined && number >= last - events.length;
    return isKnown ? events.filter((event) => event.number > number) : undefined;
  }

  function missedSince(since: string): readonly SentEvent[] | undefined {
    const from = Date.parse(since) - marginMs;
    return from <= Date.parse(completeAfter) ? undefined : events.filter(({ at }) => Date.parse(at) >= from);
  }

  return {
    add(changes, at) {
      const added = changes.map((change) => {
        last += 1;
        return { ...change, number: last, at, text: textOf(change, at, `${epoch}-${last}`) };
      });
      events.push(...added);
      const dropped = events.splice(0, Math.max(0, events.length - mostKept));
      completeAfter = dropped.at(-1)?.at ?? completeAfter;
      return added;
    },
    missed({ lastEventId, since }, now) {
      if (lastEventId === undefined && since === undefined) return [];
      const found = lastEventId === undefined ? missedSince(since ?? now) : missedAfter(lastEventId);
      const everything = { kind: "everything" } as const;
      return (
        found ?? [{ ...everything, number: last, at: now, text: textOf(everything, now, `${epoch}-${last}`) }]
      );
    },
    position: () => `id: ${epoch}-${last}\n\n`,
  };
}

interface Change {
  readonly kind: LiveKind;
  readonly appId?: string;
  readonly threadId?: string;
}

/** The roles of a person, by app. */
type RolesByApp = ReadonlyMap<string, Role>;

/** Whether a person has lost access. Access is lost if a membership has ended or has a lower role now. */
const hasLost = (before: RolesByApp, now: RolesByApp): boolean =>
  [...before].some(([appId, role]) => {
    const present = now.get(appId);
    return present === undefined || !suffices(present, role);
  });

const areSame = (before: RolesByApp, now: RolesByApp): boolean =>
  before.size === now.size && [...before].every(([appId, role]) => now.get(appId) === role);

/** Whether a person may see a change. Everybody may see a change that belongs to no app. (rule F71) */
const mayKnow = ({ appId }: Change, apps: ReadonlySet<string> | undefined): boolean =>
  appId === undefined || apps?.has(appId) === true;

/** The maximum number of events for one read. More changes become one event of the kind `everything`. */
const mostAtOnce = 50;

/** Removes duplicate changes. Returns one change of the kind `everything` if there are too many changes. */
function combine(changes: readonly Change[]): readonly Change[] {
  const each = new Map(
    changes.map((change) => [`${change.kind} ${change.appId} ${change.threadId}`, change]),
  );
  const isAll = each.size > mostAtOnce || changes.some(({ kind }) => kind === "everything");
  return isAll ? [{ kind: "everything" }] : [...each.values()];
}
