import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { everyTopic, sessionsTopic } from "../../database/signals.ts";
import type { EventConnection } from "../../http/event-stream.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import type { Settings } from "../../settings/settings.ts";
import { threadChanges } from "../agent-work/store/changes.ts";
import type { ThreadWatch } from "../agent-work/thread-watch.ts";
import { readChanges } from "./changes.ts";
import { type Connection, checkRights, deliver, rolesOf } from "./deliver.ts";
import { createHistory, type History, type Known } from "./history.ts";
import { changesRights, isOfInterest, threadsChanged } from "./topics.ts";

/** The connections of browsers that receive events. (rules F70 to F74) */
export interface LiveConnections {
  /** Returns which limit one more connection of the session would exceed. Undefined if it would exceed no limit. */
  fullFor(sessionId: string): "session" | "server" | undefined;
  /** Prepares a connection. Returns the function that opens it. */
  prepare(
    caller: Pick<ConsoleCaller, "id" | "userId">,
    known: Known,
  ): Promise<(connection: EventConnection) => void>;
  /** Returns how many connections are open. */
  readonly count: () => number;
}

/** The maximum number of connections of one session. Each browser opens one connection. */
export const mostOfSession = 20;

/** How often each connection gets a comment line. Without it, proxies might close the connection. */
const beatMs = 25_000;
/** The minimum time between two reads of the database. Changes in between are read together. */
const gapMs = 250;
/** How often permissions are read on PostgreSQL, because a notification from another server may be lost. (rule A22) */
const againMs = 5_000;
/**
 * How long changes are still read after the last connection was closed, because the browser may be opening its next
 * page.
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
 * Creates the connections of one process. Changes are read once for all connections, and only while there are
 * connections. Before each event, the permissions are read again.
 */
export function createLiveConnections(deps: LiveDeps): LiveConnections {
  const { clock, database, settings, stopping } = deps;
  const open = new Set<Connection>();
  const watch = createWatch(deps, open);
  const now = () => clock.now().toISOString();

  function fullFor(sessionId: string): "session" | "server" | undefined {
    if (open.size >= settings.budgets.liveConnections) return "server";
    const own = [...open].filter((connection) => connection.sessionId === sessionId);
    return own.length >= mostOfSession ? "session" : undefined;
  }

  stopping.addEventListener("abort", () => {
    for (const { end } of open) end();
    watch.stop();
  });

  return {
    fullFor,
    count: () => open.size,
    async prepare({ id: sessionId, userId }, known) {
      const { history } = await watch.start();
      // The client may disconnect before the connection is open.
      watch.stopLater();
      const roles = (await rolesOf(database, [userId])).get(userId) ?? new Map();
      return ({ send, end, onClose }) => {
        if (stopping.aborted || fullFor(sessionId)) return end();
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
          // The roles were read before the connection was open, so a change in between is found here.
          await checkRights(database, [connection], now());
          await deliver(database, [connection], { events, now: now() });
          send(position);
        });
      };
    },
  };
}

/**
 * Returns the time in milliseconds after which a browser connects again. It is random, so that the browsers do not all
 * connect at once.
 */
const pauseOf = (random: number): number => Math.round(2_000 + random * 4_000);

/** What the process needs while it reads changes. It reads changes only while there are connections. */
interface Reading {
  /** The mark up to which the changes of threads were read. */
  mark: string;
  readonly history: History;
  readonly end: () => void;
}

/** Creates the watch that reads changes and sends them to the open connections. */
function createWatch({ clock, database, log, threadWatch }: LiveDeps, open: ReadonlySet<Connection>) {
  /** The topics of the signals since the last read. */
  const heard = new Set<string>();
  let reading: Promise<Reading> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lingering: NodeJS.Timeout | undefined;
  let earliest = Number.NEGATIVE_INFINITY;
  /** The tasks run one after the other, so that each connection gets its events in order. */
  let work: Promise<void> = Promise.resolve();
  const now = () => clock.now().toISOString();

  function inTurn(task: () => Promise<void>): void {
    work = work.then(task).catch((error) => {
      log.warn({ err: error }, "events could not be sent");
      // It is unknown which changes were missed, so after a pause every page reads everything again.
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
    const mark = await threadChanges.present(database);
    const stopThreads = threadWatch.listen(() => hear(threadsChanged));
    const beat = setInterval(() => {
      hear(sessionsTopic);
      for (const { send } of open) send(":\n\n");
    }, beatMs).unref();
    const check = setInterval(() => database.engine === "postgres" && hear(sessionsTopic), againMs).unref();
    const end = () => {
      stopThreads();
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

  database.onSignal(hear);
  database.onForeignChange(() => hear(everyTopic));

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
    /** Stops the reading after a pause, unless `start` is called during the pause. */
    stopLater(): void {
      clearTimeout(lingering);
      lingering = setTimeout(() => open.size === 0 && stop(), lingerMs).unref();
    },
  };
}
