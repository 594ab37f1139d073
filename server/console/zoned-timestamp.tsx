import { zonedDate, zonedDay, zonedTime } from "./zoned-times.ts";

export interface ZonedProps {
  readonly at: string;
  readonly timezone: string;
}

/** An instant in a cycle's time zone. The script leaves it there, because the cycle's days follow that zone. */
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
