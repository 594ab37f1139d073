import { type RateLimitName, rateLimits } from "../../src/contract/limits.ts";
import { SettingError } from "./setting-error.ts";

/** At most `limit` requests in `windowSeconds`. */
export interface RateLimitSetting {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type RateLimitSettings = Readonly<Record<RateLimitName, RateLimitSetting>>;

const most = { limit: 1_000_000, windowSeconds: 86_400 };

/**
 * The limits of a deployment from `on`, `off`, or a list such as `feedback=240/60,proofsBySlot=20/3600`. An entry sets how
 * many requests are allowed in how many seconds. Limits that are not listed keep their defaults. The limit `sdkSession`
 * cannot be changed (rule T30). Throws a SettingError for a wrong entry.
 */
export function rateLimitsOf(given: string | undefined): {
  readonly rateLimited: boolean;
  readonly rateLimits: RateLimitSettings;
} {
  if (given === undefined || given === "on") return { rateLimited: true, rateLimits };
  if (given === "off") return { rateLimited: false, rateLimits };
  return {
    rateLimited: true,
    rateLimits: { ...rateLimits, ...Object.fromEntries(given.split(",").map(limitOf)) },
  };
}

function limitOf(entry: string): [RateLimitName, RateLimitSetting] {
  const [, name = "", limit, windowSeconds] = /^\s*(\w+)=(\d{1,7})\/(\d{1,6})\s*$/.exec(entry) ?? [];
  const rule = { limit: Number(limit), windowSeconds: Number(windowSeconds) };
  if (isLimit(name) && isWithin(rule.limit, most.limit) && isWithin(rule.windowSeconds, most.windowSeconds))
    return [name, rule];
  const names = Object.keys(rateLimits).filter(isLimit).join(", ");
  throw new SettingError(
    `INNKEEP_RATE_LIMITS must be \`on\`, \`off\` or a list such as \`feedback=240/60\` of ${names}, not \`${entry}\`.`,
  );
}

const isWithin = (value: number, highest: number): boolean => value >= 1 && value <= highest;

const isLimit = (name: string): name is RateLimitName =>
  Object.hasOwn(rateLimits, name) && name !== "sdkSession";
