/** The state of the last nightly backup of a deployment. Times are in ISO 8601. */
export interface NightlyBackup {
  readonly startedAt: string;
  /**
   * When the lease of a running backup expires. An expired lease shows that the backup's server has stopped.
   */
  readonly until: string;
  readonly outcome: "running" | "ok" | "failed";
  /** The time when the previous backup began, if that backup never ended. Set only while a backup runs. */
  readonly unfinished?: string | undefined;
  /** The reason for a failure. */
  readonly message?: string | undefined;
  /** The newest backup that succeeded. */
  readonly lastGood?: VerifiedBackup | undefined;
}

/** A backup that was created and verified. */
export interface VerifiedBackup {
  readonly at: string;
  readonly seconds: number;
  readonly bytes: number;
  /** The number of files that were missing or damaged when the backup was created. */
  readonly missing: number;
}

const dayMilliseconds = 86_400_000;
/** The time from the start of a failed backup to the start of the next attempt. */
const againMilliseconds = 3_600_000;
/** A backup counts as abandoned if its server has not renewed the lease for this time. */
const leaseMilliseconds = 900_000;
/** If no backup was verified for this time, the operator gets a warning. */
const oldMilliseconds = 2 * dayMilliseconds;

/** Whether the nightly backup is due. `at` is its time of day in minutes after midnight UTC. (rule O22) */
export function isNightlyDue(last: NightlyBackup | undefined, now: Date, at: number): boolean {
  if (!last) return true;
  const started = Date.parse(last.startedAt);
  if (last.outcome === "running") return now.getTime() >= Date.parse(last.until);
  if (last.outcome === "failed") return now.getTime() >= started + againMilliseconds;
  return started < lastTimeOf(at, now);
}

/** Returns the state of a nightly backup that begins now. `last` is the state of the previous backup. */
export const begunNightly = (last: NightlyBackup | undefined, now: Date): NightlyBackup => ({
  startedAt: now.toISOString(),
  until: leaseFrom(now),
  outcome: "running",
  unfinished: last?.outcome === "running" ? last.startedAt : undefined,
  lastGood: last?.lastGood,
});

/** Returns the end of a lease that is renewed now. */
export const leaseFrom = (now: Date): string => new Date(now.getTime() + leaseMilliseconds).toISOString();

/** Returns when it was last `at` minutes after midnight UTC, in milliseconds since 1970. */
function lastTimeOf(at: number, now: Date): number {
  const today = Math.floor(now.getTime() / dayMilliseconds) * dayMilliseconds + at * 60_000;
  return today <= now.getTime() ? today : today - dayMilliseconds;
}

/** Returns a warning about the nightly backups for the operator. Returns undefined if there is no warning. */
export function nightlyWarning(nightly: NightlyBackup, now: Date): string | undefined {
  const { outcome, message, lastGood } = nightly;
  const proven = lastGood
    ? `The last verified backup began at ${lastGood.at}.`
    : "No backup was ever verified.";
  if (outcome === "failed") return `The last nightly backup failed: ${message} ${proven}`;
  const unfinished = unfinishedSince(nightly, now);
  if (unfinished !== undefined)
    return `The nightly backup that began at ${unfinished} never ended, because its server was stopped or killed. ${proven}`;
  const age = now.getTime() - Date.parse(lastGood?.at ?? now.toISOString());
  return age > oldMilliseconds ? `No nightly backup was verified for two days. ${proven}` : undefined;
}

/** Returns when a backup began that never ended. Undefined if none is known or the last backup has ended. */
function unfinishedSince(
  { outcome, startedAt, until, unfinished }: NightlyBackup,
  now: Date,
): string | undefined {
  if (outcome !== "running") return undefined;
  return now.getTime() >= Date.parse(until) ? startedAt : unfinished;
}
