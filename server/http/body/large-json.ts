import type { IncomingMessage } from "node:http";
import type { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { IncomingBodies } from "./incoming-body.ts";
import { jsonOf, readJsonBytes, type Sending } from "./read-body.ts";

/** The value of a large body. `release` must be called when the request was handled. */
export interface LargeJson {
  readonly value: unknown;
  release(): void;
}

/**
 * Makes a function that reads JSON bodies with a limit of their own. Those of over 1 MiB are parsed and handled one after
 * the other, because a value needs several times the memory of its text. The function throws what `readJson` throws, and
 * `busy` for a body that waits while others need its memory.
 */
export function createLargeJsonReader(arrivals: IncomingBodies) {
  const turn = createLine();
  return async (request: IncomingMessage, sending: Sending): Promise<LargeJson> => {
    const bytes = await readJsonBytes(request, sending);
    if (bytes.length <= limits.json) return { value: jsonOf(request, bytes), release() {} };
    const { length } = bytes;
    // This function must not hold the bytes: it lives until its turn, and a body that is cut gives its memory up before.
    const release = await turn((cut) => arrivals.keep(sending.sender, length, cut));
    try {
      return { value: jsonOf(request, bytes), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Begins the accounting of a body that waits, and gives a function that ends it. `cut` gives up waiting. */
type Waiting = (cut: (why: ApiError) => void) => () => void;

/** A line in which each waits for the one before. A turn ends when its function is called. */
function createLine() {
  let last: Promise<void> = Promise.resolve();
  return (waiting: Waiting): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const before = last;
      let leave = () => {};
      last = new Promise((done) => {
        leave = done;
      });
      let isCut = false;
      const end = waiting((why) => {
        isCut = true;
        reject(why);
      });
      void before.then(() => {
        end();
        if (isCut) leave();
        else resolve(leave);
      });
    });
}
