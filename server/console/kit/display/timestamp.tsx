import { fullTime, isFar, relativeTime, timeUntil } from "./times.ts";

/** An instant, in full. Where scripts run, in the reader's own time zone. */
export const Timestamp = ({ at }: { readonly at: string }) => <time dateTime={at}>{fullTime(at)}</time>;

/** An instant in UTC, also where scripts run: it is entered in UTC. */
export const TimestampUtc = ({ at }: { readonly at: string }) => (
  <time dateTime={at} data-fixed>
    {fullTime(at)}
  </time>
);

/** How long ago something was. A day that is shown instead becomes the day in the reader's time zone. */
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
