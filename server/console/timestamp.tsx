import { fullTime, isFar, relativeTime, timeUntil } from "./times.tsx";

/** An instant in full. The script shows it in the reader's time zone. */
export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{fullTime(at)}</time>;

/** An instant in UTC. The script leaves it in UTC, because it is entered in UTC. */
export const TimestampUtc = ({ at }: { readonly at: string }) => (
  <time dateTime={at} data-fixed>
    {fullTime(at)}
  </time>
);

/** How long ago an instant was. After a week it is a date, which the script shows in the reader's time zone. */
export const Ago = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative={isFar(at, now) ? "day" : ""}>
    {relativeTime(at, now)}
  </time>
);

/** How long it is until an instant. */
export const Remaining = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative>
    {timeUntil(at, now)}
  </time>
);
