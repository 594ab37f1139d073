import type { Deps } from "../../deps.ts";
import type { Moment } from "./rules.ts";

/** The time of this request, and how far it can be believed. */
export const momentOf = ({ clock, time }: Pick<Deps, "clock" | "time">): Moment => ({
  now: clock.now(),
  doubtful: time.isDoubtful(),
  behindMs: time.behindMs(),
});
