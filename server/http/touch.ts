import type { credentials } from "../access/credentials.ts";
import { hourMilliseconds, hourOf } from "../access/hour-of.ts";
import type { Deps } from "../deps.ts";

interface Touched {
  readonly id: string;
  readonly lastUsedAt: string | null;
}

/** Records the hour of a credential's last use. */
export interface Touch {
  (hash: string, touched: Touched, write: typeof credentials.touchToken): void;
  /** The hour in which more uses of the credential need no record, in epoch milliseconds. */
  readonly recorded: (hash: string) => { readonly from: number; readonly until: number };
}

/** How many credentials are remembered as recorded: the use of another one is recorded once more. */
const mostRecorded = 100_000;

/**
 * Makes a Touch. The request does not wait for it. The hour is kept by the hash, so that a new credential in the place of
 * an old one is recorded too. Only those of the present hour are in memory.
 */
export function createTouch({ database, clock, log }: Pick<Deps, "database" | "clock" | "log">): Touch {
  const touched = new Map<string, string>();
  let present = "";
  const hourAt = createHourAt();
  const touch = (hash: string, { id, lastUsedAt }: Touched, write: typeof credentials.touchToken) => {
    const at = hourAt(clock.now());
    if (touched.get(hash) === at) return;
    if (at !== present) touched.clear();
    present = at;
    const [oldest] = touched.keys();
    if (touched.size >= mostRecorded && oldest !== undefined) touched.delete(oldest);
    touched.set(hash, at);
    if (lastUsedAt === at) return;
    database
      .write((tx) => write(tx, id, at))
      .catch((error) => log.warn({ err: error }, "last use not recorded"));
  };
  const recorded = (hash: string) => {
    const from = Date.parse(touched.get(hash) ?? "");
    return { from, until: from + hourMilliseconds };
  };
  return Object.assign(touch, { recorded });
}

/** `hourOf`, which remembers the minute that it was last asked about: every request asks. */
function createHourAt(): (at: Date) => string {
  let minute = Number.NaN;
  let hour = "";
  return (at) => {
    const asked = Math.floor(at.getTime() / 60_000);
    if (asked !== minute) hour = hourOf(at);
    minute = asked;
    return hour;
  };
}
