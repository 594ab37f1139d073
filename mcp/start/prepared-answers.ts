import type { McpOptions } from "../options.ts";
import { longestWait } from "../tools/get-decision/longest-wait.ts";
import type { AnswerOf } from "./answer-first-messages.ts";
import { buildTimeAnswers } from "./build-time-answers.ts";
import { type FirstMessage, firstMessageIn } from "./first-message.ts";
import { placeholders, versions } from "./placeholders.ts";

/**
 * Answers the first messages of one client as the SDK does. Answers only if that is certain: the era must stay the
 * same, and a session must begin with `initialize`.
 */
export function preparedAnswers(options: McpOptions): AnswerOf {
  const answers = options.readOnly ? buildTimeAnswers.readOnly : buildTimeAnswers.all;
  let era: FirstMessage["era"] | undefined;

  return (line) => {
    const opening = firstMessageIn(line);
    if (!opening || (era ?? opening.era) !== opening.era) return undefined;
    const begins = opening.method === "initialize";
    if (opening.era === "legacy" && begins !== (era === undefined)) return undefined;
    if (opening.id === undefined) return "";
    const text = answers[opening.era][opening.method];
    if (text === undefined) return undefined;
    era = opening.era;
    return filledIn(text, opening, options);
  };
}

function filledIn(text: string, { id, version }: FirstMessage, options: McpOptions): string {
  const values: Record<string, string> = {
    [JSON.stringify(placeholders.id)]: JSON.stringify(id),
    [JSON.stringify(placeholders.options.version)]: JSON.stringify(options.version),
    [JSON.stringify(placeholders.options.baseUrl)]: JSON.stringify(options.consoleUrl ?? options.baseUrl),
    [`"protocolVersion":"${versions.legacy[0]}"`]: `"protocolVersion":"${version}"`,
    [`up to ${placeholders.options.maxWaitSeconds}; more`]: `up to ${longestWait(options)}; more`,
  };
  // In one pass, so that values are not searched for placeholders.
  return text.replace(filledPlaceholders, (found) => values[found] ?? found);
}

const filledPlaceholders = new RegExp(
  [
    JSON.stringify(placeholders.id),
    JSON.stringify(placeholders.options.version),
    JSON.stringify(placeholders.options.baseUrl),
    `"protocolVersion":"${versions.legacy[0]}"`,
    `up to ${placeholders.options.maxWaitSeconds}; more`,
  ]
    .map((text) => text.replace(/[{}.]/g, "\\$&"))
    .join("|"),
  "g",
);
