import { Refusal } from "./refusal.ts";

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const isUuid = new RegExp(`^${uuid}$`, "i");
const isConsolePath = new RegExp(`/feedback/${uuid}/(${uuid})/?$`, "i");
const example = "b5d1c0de-0000-4000-8000-000000000001";

/** The id of the thread, from a UUID or a console link. Throws a Refusal for any other text. */
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

/** The id of a proposal. Throws a Refusal if it is not a UUID. */
export function runIdOf(given: string, name = "run_id"): string {
  const text = given.trim();
  if (isUuid.test(text)) return text.toLowerCase();
  throw new Refusal(`\`${name}\` must be the UUID that propose_plan returned, such as ${example}.`);
}
