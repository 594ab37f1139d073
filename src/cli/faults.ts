import { fieldsOf, itemsOf } from "./answers.ts";
import { callDevServer } from "./call-dev-server.ts";
import type { Invocation } from "./core/context.ts";
import { printList, printOne } from "./core/output.ts";

const path = "/dev/faults";

export interface FaultFlags {
  readonly status?: number;
  readonly code?: string;
  readonly times?: number;
  readonly delayMs?: number;
}

/** Makes the next requests to a path fail or wait. */
export async function addFault(
  invocation: Invocation,
  { status, code, times, delayMs }: FaultFlags,
  faultPath: string,
): Promise<undefined> {
  const body = { path: faultPath, status, code, times, delayMs };
  const answer = await callDevServer(invocation, { method: "POST", path, body });
  printOne(invocation, answer, () => sentenceOf(fieldsOf(answer)));
}

export async function listFaults(invocation: Invocation): Promise<undefined> {
  const items = itemsOf(await callDevServer(invocation, { method: "GET", path }));
  printList(invocation, {
    items,
    columns: [
      { heading: "path", of: (fault) => fault.path },
      { heading: "status", of: (fault) => fault.status },
      { heading: "code", of: (fault) => fault.code },
      { heading: "times", of: (fault) => fault.times },
      { heading: "delayMs", of: (fault) => fault.delayMs },
    ],
  });
}

export async function clearFaults(invocation: Invocation): Promise<undefined> {
  await callDevServer(invocation, { method: "DELETE", path });
  printOne(invocation, { cleared: true }, () => "There are no faults any more.");
}

function sentenceOf({ path: of, status, code, times, delayMs }: Readonly<Record<string, unknown>>): string {
  const requests = times === 1 ? "The next request" : `The next ${times} requests`;
  const wait = delayMs === 0 ? [] : [`wait ${delayMs} ms`];
  const end = status === null ? [] : [`get ${status} ${code}`];
  return `${requests} to ${of}: ${[...wait, ...end].join(", then ")}.`;
}
