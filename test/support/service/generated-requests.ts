import { type Endpoint, errorsOf } from "../../../src/contract/endpoint.ts";
import { errorCatalogue } from "../../../src/contract/errors.ts";
import { fc } from "../property.ts";
import { hostileText, valuesFor } from "./generated-values.ts";
import { faultsOf } from "./refusals.ts";
import { type Answer, eventStream } from "./request.ts";

/** A generated request. `known` parameters belong to existing objects. */
export interface GeneratedRequest {
  readonly params: Readonly<Record<string, string | "known">>;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly trusted: boolean;
  readonly body: string | undefined;
}

/** Almost valid and hostile requests to an endpoint. */
export const requestsTo = (endpoint: Endpoint): fc.Arbitrary<GeneratedRequest> =>
  fc.record({
    params: paramsOf(endpoint),
    query: queryOf(endpoint),
    headers: headersOf(endpoint),
    trusted: mostly(true, fc.constant(false)),
    body: endpoint.body ? bodies(endpoint.body) : fc.constant(undefined),
  });

/** The violations of the contract in an answer; empty without one. */
export function undeclaredIn(endpoint: Endpoint, answer: Answer): string[] {
  const { success } = endpoint;
  if (answer.status === success.status) {
    if ("download" in success)
      return success.download.includes(answer.headers.get("content-type") ?? "")
        ? []
        : ["It is no download."];
    if ("events" in success)
      return answer.headers.get("content-type") === eventStream ? [] : ["It sends no events."];
    if (!("body" in success)) return answer.text === "" ? [] : [`A 204 has a body: ${answer.text}`];
    const declared = success.body.safeParse(answer.body);
    if (!declared.success) return [`The answer does not match its schema: ${answer.text}`];
    const same = JSON.stringify(declared.data) === JSON.stringify(answer.body);
    return same ? [] : [`The answer has more than its schema: ${answer.text}`];
  }
  const declared = errorsOf(endpoint).some(
    (code) => answer.status === errorCatalogue[code].status && answer.text.includes(`"code":"${code}"`),
  );
  return [
    ...(answer.status >= 500 ? [`A failure on our side: ${answer.status}`] : []),
    ...(declared ? [] : [`Not declared: ${answer.status} ${answer.text.slice(0, 200)}`]),
    ...faultsOf(answer),
  ];
}

const mostly = <Value>(usual: Value, others: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

function paramsOf({ params }: Endpoint): fc.Arbitrary<Record<string, string>> {
  const names = Object.keys(params?.shape ?? {});
  // A value that does not fit in one path segment would change the address.
  const segment = hostileText
    .map((text) => encodeURIComponent(text.toWellFormed()))
    .filter((text) => !/^(|\.|\.\.|%2e)+$/i.test(text));
  const param = mostly("known", fc.oneof(fc.uuid(), segment));
  return fc.record(Object.fromEntries(names.map((name) => [name, param])));
}

function queryOf({ query }: Endpoint): fc.Arbitrary<string> {
  if (!query)
    return mostly(
      "",
      hostileText.map((text) => `?${encodeURIComponent(text.toWellFormed())}`),
    );
  const names = Object.keys(query.shape);
  const some = fc.shuffledSubarray(names, { maxLength: Math.min(2, names.length) });
  return fc.tuple(valuesFor(query), some).map(([values, chosen]) => {
    const entries = Object.entries(values ?? {}).filter(
      ([name, value]) => chosen.includes(name) && value !== undefined,
    );
    const texts = entries.map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return `?${new URLSearchParams(texts)}`;
  });
}

function headersOf({ method, body, ifMatch }: Endpoint): fc.Arbitrary<Record<string, string>> {
  const headers = fc.record({
    accept: seldom(fc.constantFrom("text/html", "application/json", "*/*;q=0")),
    "content-type": body ? mostly("application/json", contentTypes) : fc.constant(undefined),
    "if-match": ifMatch ? mostly("*", fc.constantFrom('"other"', "", "W/")) : fc.constant(undefined),
    "idempotency-key": method === "GET" ? fc.constant(undefined) : seldom(idempotencyKeys),
  });
  return headers.map((given) => {
    const sent = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return Object.fromEntries(sent);
  });
}

const contentTypes = fc.constantFrom(
  "application/json; charset=utf-8",
  "Application/JSON",
  "text/plain",
  "x",
);
const idempotencyKeys = fc.oneof(
  { weight: 3, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: fc.constantFrom("once", '"once"', "x".repeat(255), "a b") },
  { weight: 1, arbitrary: fc.constantFrom("", '""', "x".repeat(256), "\xe9") },
);

const seldom = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });

function bodies(schema: NonNullable<Endpoint["body"]>): fc.Arbitrary<string> {
  const json = valuesFor(schema).map((value) => JSON.stringify(value) ?? "");
  const cut = fc.tuple(json, fc.nat(400)).map(([text, at]) => text.slice(0, at));
  return fc.oneof(
    { weight: 12, arbitrary: json },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: hostileText },
  );
}
