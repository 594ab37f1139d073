import { randomUUID } from "node:crypto";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

const isUuid = new RegExp(`^${uuid}$`, "i");

const isConsolePath = new RegExp(`/feedback/${uuid}/(${uuid})/?$`, "i");

const example = "b5d1c0de-0000-4000-8000-000000000001";

/** Returns the id of a thread, from a UUID or a console link. Throws a Refusal for any other text. */
export function feedbackIdOf(given: string): string {
  const text = given.trim();
  if (isUuid.test(text)) return text.toLowerCase();
  const path = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).pathname : "";
  const [, id] = isConsolePath.exec(path) ?? [];
  if (id !== undefined) return id.toLowerCase();
  throw new Refusal(
    `\`feedback\` must be the id of a thread or its console link. Pass a UUID such as ${example}, or a link that ends in /feedback/<app id>/<feedback id>.`,
  );
}

/** Returns the id of a proposal. Throws a Refusal if it is not a UUID. */
export function runIdOf(given: string, name = "run_id"): string {
  const text = given.trim();
  if (isUuid.test(text)) return text.toLowerCase();
  throw new Refusal(`\`${name}\` must be the UUID that propose_plan returned, such as ${example}.`);
}

/**
 * Returns a random name of a worker, so that each process, or each call over HTTP, is a different worker. (rule L15)
 */
export const newWorker = (): string => `mcp-${randomUUID().slice(0, 8)}`;

/** The texts for an agent whose claim has ended, by the error code. */
export const endedClaims = {
  claim_released:
    "A person has ended this claim. Stop the work and tell the user. If the work should still be done, call start_work without claim_id.",
  claim_resumed: "Another worker with your account has resumed this claim. Stop the work and tell the user.",
} as const;

export interface GivenClaim {
  readonly id: string;
  /** The worker that has the claim; undefined if the id comes from another program. */
  readonly worker: string | undefined;
}

/** Reads a `claim_id`. Throws a Refusal for any other text. */
export function givenClaim(given: string): GivenClaim {
  const [, id, worker] =
    /^([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:\.([0-9a-f]{8}))?$/.exec(given.trim().toLowerCase()) ??
    [];
  if (id === undefined) throw new Refusal("`claim_id` must be the claim_id that start_work returned.");
  return { id, worker: worker && `mcp-${worker}` };
}

/** The error of a tool that refuses a call. The message contains no untrusted text, so a model may read it. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
