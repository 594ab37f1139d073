import { fullTime, relativeTime, timeUntil } from "../times.ts";

/** An instant, in full. Where scripts run, in the reader's own time zone. */
export const When = ({ at }: { readonly at: string }) => <time dateTime={at}>{fullTime(at)}</time>;

/** An instant in UTC, also where scripts run: it is entered in UTC. */
export const WhenUtc = ({ at }: { readonly at: string }) => (
  <time dateTime={at} data-fixed>
    {fullTime(at)}
  </time>
);

/** How long ago something was. */
export const Ago = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative>
    {relativeTime(at, now)}
  </time>
);

/** How long it is until an instant. */
export const Remaining = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={fullTime(at)} data-relative>
    {timeUntil(at, now)}
  </time>
);
