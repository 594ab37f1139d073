import { successIn } from "../../src/client/answer.ts";
import { groupOf } from "../../src/client/client.ts";
import type { ToolCaller } from "../../src/programs.ts";
import type { Connection } from "../connection.ts";

/** Calls the API inside the server. Answers and errors are those of a client over HTTP. */
export function directConnection({ call, secret }: ToolCaller, baseUrl: string): Connection {
  const client = groupOf(
    "agent",
    async ({ method, path }, { params, query, body, idempotencyKey, signal } = {}) => {
      signal?.throwIfAborted();
      const request = { method, path, params: textsOf(params), query: textsOf(query) };
      const answer = await call({ ...request, body, idempotencyKey, signal });
      signal?.throwIfAborted();
      return successIn(answer, { method, url: new URL(baseUrl + path) }, new Date());
    },
  );
  return { call: (use) => use(client), secrets: async () => [secret] };
}

const textsOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );
