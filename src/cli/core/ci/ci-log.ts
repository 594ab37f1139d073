import { withoutCommands } from "../output/plain-text.ts";
import type { Context } from "../program/context.ts";
import { isCiJob } from "./ci-environment.ts";

type Env = Context["env"];

/**
 * Text that is safe in the log of a CI job: strangers wrote parts of it, and the service runs commands from the
 * log.
 */
export const asLogged = (env: Env, text: string): string => (isCiJob(env) ? withoutCommands(text) : text);

/** The same for JSON, which keeps its meaning: `#` stands in strings only, and an escape can replace it there. */
export const asLoggedJson = (env: Env, json: string): string =>
  isCiJob(env) ? json.replaceAll("##", "#\\u0023") : json;
