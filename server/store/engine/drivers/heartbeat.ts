import type pg from "pg";
import { type Moment, presentMoment } from "./memory-period.ts";
import { listenSql } from "./postgres-notices.ts";

/** How long the connection may take to answer. */
const answerMs = 5_000;
/** The pause between two beats while somebody wants them, and otherwise. */
const quickMs = 300;
const slowMs = 15_000;

/** Asks the listening connection again and again whether it lives. To listen once more changes nothing. */
export interface Heartbeat {
  /** Beats at once if the next beat is far away. */
  hurry(): void;
  stop(): void;
}

export interface BeatHandlers {
  /** Whether the beats must be quick. */
  readonly isWanted: () => boolean;
  /** Called with the time at which an answered beat began. */
  readonly onAnswer: (began: Moment) => void;
}

/** Starts to beat. A connection that no longer answers is closed, so that a new one is opened. */
export function startHeartbeat(client: pg.Client, { isWanted, onAnswer }: BeatHandlers): Heartbeat {
  let stopped = false;
  let isSlow = true;
  let timer = setTimeout(run, slowMs).unref();

  async function run(): Promise<void> {
    isSlow = false;
    const began = presentMoment();
    if (await answers(client)) onAnswer(began);
    if (stopped) return;
    isSlow = !isWanted();
    timer = setTimeout(run, isSlow ? slowMs : quickMs).unref();
  }

  return {
    hurry() {
      if (!isSlow || stopped) return;
      clearTimeout(timer);
      void run();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function answers(client: pg.Client): Promise<boolean> {
  const cut = setTimeout(() => client.end().catch(() => undefined), answerMs);
  try {
    await client.query(listenSql);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(cut);
  }
}
