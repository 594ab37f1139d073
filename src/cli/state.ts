import { fieldsOf, itemsOf } from "./answers.ts";
import { callDevServer } from "./call-dev-server.ts";
import type { Invocation } from "./core/context.ts";
import { printList, printOne } from "./core/output.ts";

const path = "/dev/snapshots";

/** Sets the server back to its start. */
export async function reset(invocation: Invocation): Promise<undefined> {
  const answer = await callDevServer(invocation, { method: "POST", path: "/dev/reset" });
  printOne(invocation, answer, () => `The server is as at its start. Its time is ${fieldsOf(answer).now}.`);
}

export async function saveSnapshot(invocation: Invocation, name: string): Promise<undefined> {
  const answer = await callDevServer(invocation, { method: "POST", path, body: { name } });
  printOne(invocation, answer, () => `Saved ${name}: ${contentOf(answer)}.`);
}

export async function loadSnapshot(invocation: Invocation, name: string): Promise<undefined> {
  const at = `${path}/${encodeURIComponent(name)}/load`;
  const answer = await callDevServer(invocation, { method: "POST", path: at });
  printOne(invocation, answer, () => `Loaded ${name}: ${contentOf(answer)}.`);
}

export async function listSnapshots(invocation: Invocation): Promise<undefined> {
  const items = itemsOf(await callDevServer(invocation, { method: "GET", path }));
  printList(invocation, {
    items,
    columns: [
      { heading: "name", of: (snapshot) => snapshot.name },
      { heading: "time", of: (snapshot) => snapshot.now },
      { heading: "rows", of: (snapshot) => snapshot.rows },
      { heading: "files", of: (snapshot) => snapshot.files },
    ],
  });
}

function contentOf(answer: unknown): string {
  const { rows, files, now } = fieldsOf(answer);
  return `${rows} rows and ${files} files; the server's time is ${now}`;
}
