import * as statistics from "../../database/schema/statistics.ts";
import { instant, matching, orNull, whole } from "../fields.ts";
import { recordOf } from "./record.ts";

/** When a thread got its first reply, and when it was resolved. */
export const times = recordOf(statistics.threadTimes, {
  type: "threadTimes",
  parent: "feedback_id",
  order: [],
  columns: { first_reply_at: orNull(instant), resolved_at: orNull(instant) },
});

/** The number of quarters of an hour, or of days, since 1970. */
const sinceEpoch = whole(0, 1e9);

const count = whole(-1e12, 1e12);

const span = whole(1, statistics.quartersOfDay);

/** How often a thread was reported again in each period. */
export const repeats = recordOf(statistics.repeatCounts, {
  type: "repeatCount",
  parent: "feedback_id",
  order: ["span", "at"],
  columns: { span, at: sinceEpoch, count },
  app: ["app_id"],
});

/** The counts for the statistics of an app. They also include threads that were deleted. (rule F60) */
export const counts = [
  recordOf(statistics.reportCounts, {
    type: "reportCount",
    parent: "app_id",
    order: ["quarter", "slot"],
    columns: {
      quarter: sinceEpoch,
      slot: sinceEpoch,
      ...{ bug: count, feature: count, question: count, general: count },
      ...{ repeats: count, resolved: count, replies: count },
    },
  }),
  recordOf(statistics.measureCounts, {
    type: "measureCount",
    parent: "app_id",
    order: ["span", "at", "measure", "slot"],
    columns: {
      span,
      at: sinceEpoch,
      measure: matching(
        /^(?:(?:reply|decision):\d{1,2}|agents:[a-z]{1,20}|version:(?:bug|other):[\d.]{1,20})$/,
        "the name of a measure",
      ),
      slot: sinceEpoch,
      count,
    },
  }),
];
