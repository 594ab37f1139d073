import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface SlowSending {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly bytesPerSecond: number;
}

/** Posts a body at a constant rate. Returns the status of the answer, or the error code. */
export async function postSlowly(
  url: string,
  { headers, body, bytesPerSecond }: SlowSending,
): Promise<number | string> {
  const outgoing = request(url, {
    method: "POST",
    headers: { ...headers, "content-length": body.length },
    agent: false,
  });
  const answered = new Promise<number | string>((resolve) => {
    outgoing.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  let over = false;
  answered.then(() => {
    over = true;
  });
  const began = performance.now();
  // A timer that is late on a busy machine must not make the rate lower.
  for (let at = 0; at < body.length && !over; ) {
    await sleep(50);
    const due = Math.ceil(((performance.now() - began) / 1_000) * bytesPerSecond);
    outgoing.write(body.subarray(at, due));
    at = due;
  }
  if (!over) outgoing.end();
  return answered;
}
