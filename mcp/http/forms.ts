import type { HttpAnswer } from "../../src/programs.ts";
import { at } from "../json.ts";

/** The forms of an answer that a client takes: one piece of JSON, or a stream of events. */
export interface Forms {
  readonly json: boolean;
  readonly events: boolean;
}

const json = "application/json";
const events = "text/event-stream";

/** What the library of the protocol must read, to serve a client that takes one of the forms. */
export const bothForms = `${json}, ${events}`;

/** The forms that an `Accept` allows. Without one, every form is welcome. (rule A62) */
export function formsIn(accept: string | undefined): Forms {
  const ranges = new Map((accept ?? "").split(",").map(rangeOf));
  ranges.delete("");
  if (ranges.size === 0) return { json: true, events: true };
  const takes = (type: string) =>
    ranges.get(type) ?? ranges.get(type.replace(/\/.*/, "/*")) ?? ranges.get("*/*") ?? false;
  return { json: takes(json), events: takes(events) };
}

/** A range of media types, and whether it is wanted. */
function rangeOf(part: string): [string, boolean] {
  const [type = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  return [type, !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))];
}

/** The same answer in a form that the client takes. */
export async function inForm(
  answer: HttpAnswer,
  { json: takesJson, events: takesEvents, isBatch }: Forms & { readonly isBatch: boolean },
): Promise<HttpAnswer> {
  if (takesJson === takesEvents) return answer;
  if ("json" in answer) return takesJson || answer.json === "" ? answer : eventOf(answer.json);
  const { response } = answer;
  const type = response.headers.get("content-type") ?? "";
  if (takesEvents)
    return response.status === 200 && type.startsWith(json) ? eventOf(await response.text()) : answer;
  if (!type.startsWith(events)) return answer;
  const answers = answersIn(await response.text());
  return { json: isBatch ? `[${answers.join(",")}]` : (answers.at(-1) ?? "") };
}

const eventOf = (message: string): HttpAnswer => ({
  response: new Response(`event: message\ndata: ${message}\n\n`, { headers: { "content-type": events } }),
  comesInParts: false,
});

/** The answers in a stream, each at the end of its reports of progress. */
const answersIn = (stream: string): string[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length))
    .filter((message) => isAnswer(JSON.parse(message)));

const isAnswer = (message: unknown): boolean =>
  at(message, "id") !== undefined && at(message, "method") === undefined;
