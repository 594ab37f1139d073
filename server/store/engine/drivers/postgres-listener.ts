import { randomUUID } from "node:crypto";
import pg from "pg";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { createMemoryPeriod, type Moment, presentMoment } from "./memory-period.ts";
import { emptyNotice, listenSql } from "./postgres-notices.ts";

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** If nobody asks for the memory for so long, its proofs are not wanted. */
const quietMs = 10_000;
/** The pause between two tries to find out whether a connection hears. */
const tryAgainMs = 5_000;

export interface PostgresListener {
  /** As `Database.memoryPeriod`. */
  memoryPeriod(): number | undefined;
  close(): Promise<void>;
}

export interface NoticeHandlers {
  readonly onNotice: (payload: string) => void;
  /** Called after a lost connection was opened again: notices may have been lost. */
  readonly onGap: () => void;
  /** Sends a notice to all listeners on another connection. */
  readonly send: (payload: string) => Promise<unknown>;
}

/**
 * Listens for notices on its own connection. Opens the connection again each time that it breaks. Resolves when it listens;
 * rejects if the first connection fails.
 */
export async function listen(
  config: pg.ClientConfig,
  { onNotice, onGap, send }: NoticeHandlers,
): Promise<PostgresListener> {
  const period = createMemoryPeriod();
  let askedAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let heartbeat: Heartbeat | undefined;
  let client = await connect();
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client(config);
    const hearing = createHearing(send, period.prove);
    opened.on("notification", ({ payload = "" }) => {
      if (!hearing.isOwn(payload)) onNotice(payload);
    });
    // An error event without a listener would end the process. The end event follows.
    opened.on("error", () => {});
    try {
      await opened.connect();
      await opened.query(listenSql);
    } catch (error) {
      opened.end().catch(() => {});
      throw error;
    }
    const beating = startHeartbeat(opened, {
      isWanted: () => performance.now() - askedAt < quietMs,
      onAnswer: hearing.onAnswer,
    });
    heartbeat = beating;
    opened.once("end", () => {
      beating.stop();
      period.end();
      reconnectAfter(firstPauseMs);
    });
    return opened;
  }

  function reconnectAfter(pauseMs: number): void {
    if (closed) return;
    timer = setTimeout(async () => {
      try {
        client = await connect();
        if (closed) await client.end();
        else onGap();
      } catch {
        reconnectAfter(Math.min(pauseMs * 2, longestPauseMs));
      }
    }, pauseMs).unref();
  }

  return {
    memoryPeriod() {
      askedAt = performance.now();
      heartbeat?.hurry();
      return period.current();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      heartbeat?.stop();
      await client.end().catch(() => {});
    },
  };
}

/**
 * Finds out whether a connection hears: a notice that was sent on another connection must arrive. Behind a proxy that shares
 * connections between transactions it never does. After that, an answer to any statement proves that everything before it was
 * heard, because PostgreSQL sends the notices of earlier commits first.
 */
function createHearing(send: NoticeHandlers["send"], prove: (at: Moment) => void) {
  let hears = false;
  let sent: { readonly payload: string; readonly at: Moment } | undefined;

  function tryOnce(): void {
    const at = presentMoment();
    if (sent && at.steady - sent.at.steady < tryAgainMs) return;
    sent = { payload: emptyNotice(randomUUID()), at };
    send(sent.payload).catch(() => undefined);
  }

  return {
    isOwn(payload: string): boolean {
      if (payload !== sent?.payload) return false;
      hears = true;
      prove(sent.at);
      return true;
    },
    onAnswer(began: Moment): void {
      if (hears) prove(began);
      else tryOnce();
    },
  };
}
