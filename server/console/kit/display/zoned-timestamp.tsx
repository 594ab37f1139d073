import { zonedDate, zonedDay, zonedTime } from "./zoned-times.ts";

export interface ZonedProps {
  readonly at: string;
  readonly timezone: string;
}

/** An instant by a test's own clock: days belong to that, so it is not turned into the reader's zone. */
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
