import type { McpOptions } from "../options.ts";
import { longestWait } from "../tools/get-decision/longest-wait.ts";
import type { AnswerOf } from "./answer-first-messages.ts";
import { prepared } from "./build-time-answers.ts";
import { type Opening, openingIn } from "./first-message.ts";
import { stand, versions } from "./placeholders.ts";

/**
 * Answers the first messages of one client as the protocol's library does, and only those of which that is certain: the era
 * must stay the same, and a session must begin with `initialize`.
 */
export function preparedAnswers(options: McpOptions): AnswerOf {
  const answers = options.readOnly ? prepared.readOnly : prepared.all;
  let era: Opening["era"] | undefined;

  return (line) => {
    const opening = openingIn(line);
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

function filledIn(text: string, { id, version }: Opening, options: McpOptions): string {
  const values: Record<string, string> = {
    [JSON.stringify(stand.id)]: JSON.stringify(id),
    [JSON.stringify(stand.options.version)]: JSON.stringify(options.version),
    [JSON.stringify(stand.options.baseUrl)]: JSON.stringify(options.consoleUrl ?? options.baseUrl),
    [`"protocolVersion":"${versions.legacy[0]}"`]: `"protocolVersion":"${version}"`,
    [`up to ${stand.options.maxWaitSeconds}; more`]: `up to ${longestWait(options)}; more`,
  };
  // In one pass: what was filled in is not looked at again.
  return text.replace(placeholders, (found) => values[found] ?? found);
}

const placeholders = new RegExp(
  [
    JSON.stringify(stand.id),
    JSON.stringify(stand.options.version),
    JSON.stringify(stand.options.baseUrl),
    `"protocolVersion":"${versions.legacy[0]}"`,
    `up to ${stand.options.maxWaitSeconds}; more`,
  ]
    .map((text) => text.replace(/[{}.]/g, "\\$&"))
    .join("|"),
  "g",
);
