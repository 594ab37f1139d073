import { valueAt } from "../../../src/contract/json.ts";
import { eventually } from "../eventually.ts";
import type { Service } from "./service.ts";

/** A browser that receives events. */
export type LiveBrowser = Awaited<ReturnType<typeof openLive>>;

/** Opens a connection for events. Resolves when the server sends the first events to it. */
export async function openLive(
  { baseUrl }: Pick<Service, "baseUrl">,
  headers: Record<string, string>,
  query = "",
) {
  const gone = new AbortController();
  const url = `${baseUrl}/api/v1/console/live${query}`;
  const response = await fetch(url, { headers, signal: gone.signal });
  if (!response.ok || !response.body) throw new Error(`The answer is ${response.status}.`);
  let text = "";
  let read = 0;
  const ended = collect(response.body, (more) => {
    text += more;
  });
  const events = (): unknown[] =>
    [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data = ""]) => JSON.parse(data));
  const fits = (event: unknown, wanted: object) =>
    Object.entries(wanted).every(([name, value]) => valueAt(event, name) === value);
  await eventually(() => {
    if (!/^id: /m.test(text)) throw new Error("The connection is not ready.");
  });
  return {
    headers: response.headers,
    /** All that has arrived. */
    text: () => text,
    /** Resolves when the server has ended the connection. */
    ended,
    /** Returns the next event that was not returned before. */
    next: () =>
      eventually(() => {
        const event = events()[read];
        if (event === undefined) throw new Error("There is no further event.");
        read += 1;
        return event;
      }),
    /** Waits for an event with these fields. */
    until: (wanted: object) =>
      eventually(() => {
        const at = events().findIndex((event) => fits(event, wanted));
        if (at < 0) throw new Error(`There is no such event in: ${text}`);
        read = at + 1;
      }),
    count: (wanted: object) => events().filter((event) => fits(event, wanted)).length,
    /** The id of the last event. */
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "",
    close: () => gone.abort(),
  };
}

async function collect(body: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) hear(decoder.decode(bytes, { stream: true }));
  } catch {
    // The test has closed the connection.
  }
}
