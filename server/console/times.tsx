const hourMilliseconds = 3_600_000;

/** Shows when a credential was last used. `at` is the start of the hour of the use. */
export const LastUse = ({ at, now }: { readonly at: string | null; readonly now: Date }) => {
  if (at === null) return <span>never used</span>;
  const age = now.getTime() - Date.parse(at);
  if (age < hourMilliseconds) return <span>used in the last hour</span>;
  if (age < 2 * hourMilliseconds) return <span>used in the last 2 hours</span>;
  return (
    <span>
      used <Ago at={at} now={now} />
    </span>
  );
};

/** A date and time. A script in the browser converts it to the browser's time zone. */
export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{fullTime(at)}</time>;

/** A date and time in UTC. No script converts it, because people also enter this value in UTC. */
export const TimestampUtc = ({ at }: { readonly at: string }) => (
  <time dateTime={at} data-fixed>
    {fullTime(at)}
  </time>
);

/** A date and time in the time zone `zone` and in UTC. Without `zone`, a script adds the browser's time. */
export const TimestampHere = ({ at, zone }: { readonly at: string; readonly zone: string | undefined }) =>
  zone === undefined ? (
    <time dateTime={at} data-fixed data-beside-utc>
      {fullTime(at)}
    </time>
  ) : (
    <time dateTime={at} data-fixed>
      {`${zonedDate(at, zone)}, ${zonedClock(at, zone)} ${zone} (${fullTime(at)})`}
    </time>
  );

/** Shows how long ago an event was, such as `3 minutes ago`. After a week, shows the date. */
export const Ago = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative={isFar(at, now) ? "day" : ""}>
    {relativeTime(at, now)}
  </time>
);

/** Shows the same as `Ago`, but in a short form for narrow columns: `5 min`, `2 h`, `3 d`. */
export const Age = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative={isFar(at, now) ? "day" : ""}>
    {shortAge(at, now)}
  </time>
);

function shortAge(at: string, now: Date): string {
  if (isFar(at, now)) return dayOf(new Date(at));
  const seconds = Math.abs(secondsTo(at, now));
  if (seconds < 60) return "now";
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Shows how much time is left until `at`, such as `in 5 hours`. */
export const Remaining = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative>
    {timeUntil(at, now)}
  </time>
);

let made: ReturnType<typeof makeNames> | undefined;

/** Creates the formatters at the first call. Their creation is slow and would delay the start of the server. */
function names() {
  made ??= makeNames();
  return made;
}

function makeNames() {
  const month = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short" });
  return {
    months: Array.from({ length: 12 }, (_, index) => month.format(new Date(Date.UTC(2026, index)))),
    ago: new Intl.RelativeTimeFormat("en", { numeric: "auto" }),
  };
}

/** Returns a date in UTC, such as `3 Jun 2026`. `Intl` would be too slow for hundreds of dates. */
const dayOf = (date: Date): string =>
  `${date.getUTCDate()} ${names().months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;

/** Returns a day such as `2026-06-03` as `3 Jun 2026`. */
export const dayText = (day: string): string => dayOf(new Date(`${day}T00:00:00Z`));

/** Returns an ISO 8601 time as `3 Jun 2026, 14:05 UTC`. */
export function fullTime(at: string): string {
  const date = new Date(at);
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${dayOf(date)}, ${hours}:${minutes} UTC`;
}

/** Whether a time is at least a week before or after `now`. */
const isFar = (at: string, now: Date): boolean => Math.abs(secondsTo(at, now)) >= week;

const secondsTo = (at: string, now: Date): number => Math.round((Date.parse(at) - now.getTime()) / 1_000);

function relativeTime(at: string, now: Date): string {
  if (isFar(at, now)) return dayOf(new Date(at));
  const seconds = secondsTo(at, now);
  const [size, unit] = steps.find(([size]) => Math.abs(seconds) >= size) ?? ([1, "second"] as const);
  if (unit === "second") return "just now";
  return seconds > 0 ? timeUntil(at, now) : names().ago.format(Math.trunc(seconds / size), unit);
}

/** Returns a number of milliseconds as `5 minutes`, `3 hours` or `2 days`. */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  const [size, unit] = steps.find(([size]) => seconds >= size) ?? ([60, "minute"] as const);
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Returns the time left, such as `in 5 hours`. */
function timeUntil(at: string, now: Date): string {
  const left = Date.parse(at) - now.getTime();
  if (left <= 0) return "now";
  const { ago } = names();
  // If the time were rounded down, a new snooze of four hours would end `in 3 hours`.
  const minutes = Math.max(1, Math.round(left / 60_000));
  if (minutes < 90) return ago.format(minutes, "minute");
  const hours = Math.round(left / 3_600_000);
  return hours < 48 ? ago.format(hours, "hour") : ago.format(Math.round(left / 86_400_000), "day");
}

const week = 604_800;

const steps = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

/** Returns a time in UTC as the value of a `datetime-local` field. Returns an empty text for null. */
export const fieldTime = (at: string | null): string => at?.slice(0, 16) ?? "";

/** Returns a number of bytes as `1.4 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const kilobytes = bytes / 1_024;
  return kilobytes < 1_024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1_024).toFixed(1)} MB`;
}

interface ZonedProps {
  readonly at: string;
  readonly timezone: string;
}

/** A date and time in the time zone of a test cycle. No script converts the time to another zone. */
export const ZonedTime = ({ at, timezone }: ZonedProps) => (
  <time dateTime={at} data-fixed>
    {zonedTime(at, timezone)}
  </time>
);

export const ZonedDay = ({ at, timezone }: ZonedProps) => (
  <time dateTime={at} data-fixed>
    {zonedDay(at, timezone)}
  </time>
);

export const ZonedDate = ({ at, timezone }: ZonedProps) => (
  <time dateTime={at} data-fixed>
    {zonedDate(at, timezone)}
  </time>
);

const formatIn = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...options });

const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;

const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Returns an ISO 8601 time as `Tue 9 Jun 2026, 14:05`, in an IANA time zone. */
const zonedTime = (at: string, timezone: string): string =>
  `${zonedDay(at, timezone)}, ${zonedClock(at, timezone)}`;

/** Returns the calendar day of a time in a time zone, as `Tue 9 Jun 2026`. */
export const zonedDay = (at: string, timezone: string): string =>
  formatIn(timezone, day).format(new Date(at)).replace(",", "");

/** Returns the date of a time in a time zone, as `9 Jun 2026`. */
const zonedDate = (at: string, timezone: string): string =>
  formatIn(timezone, { day: "numeric", month: "short", year: "numeric" }).format(new Date(at));

/** Returns the clock time in a time zone, as `14:05`. */
export const zonedClock = (at: string, timezone: string): string =>
  formatIn(timezone, clock).format(new Date(at));

/** Returns the date of a test day, as midnight in UTC. `startsOn` is the first day, such as `2026-06-03`. */
export const dateOfDay = (startsOn: string, dayIndex: number): Date =>
  new Date(Date.parse(`${startsOn}T00:00:00Z`) + (dayIndex - 1) * 86_400_000);

const weekday = formatIn("UTC", { weekday: "short" });

const numeral = formatIn("UTC", { day: "numeric", month: "short" });

/** Returns the time one millisecond before `at`. If a cycle ends at `at`, this time is on its last day. */
export const justBefore = (at: string): string => new Date(Date.parse(at) - 1).toISOString();

/** Returns the parts of a date in UTC: `Tue` and `9 Jun`. */
export const dateParts = (date: Date) => ({ weekday: weekday.format(date), date: numeral.format(date) });

/** Returns a number of seconds as `1 h 5 min`, `4 min 10 s` or `38 s`. */
export function lengthOfTime(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  const rest = whole % 60;
  if (minutes === 0) return `${rest} s`;
  return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}

/** The IANA time zones that this runtime supports. UTC comes first. */
export const timeZones: readonly string[] = [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC"),
];
