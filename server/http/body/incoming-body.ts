import type { IncomingMessage } from "node:http";
import type { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Sender } from "../network-addresses.ts";
import { type CountBody, createCountBody } from "../rate-limits/rate-limits.ts";
import { createBodyMemory, createPace } from "./budgets.ts";

/** A body that is still arriving. */
export interface IncomingBody {
  /** Counts more bytes that are in memory. */
  hold(bytes: number): void;
  /** Stops waiting for the body. Reading it fails with `why`. */
  cut(why: ApiError): void;
  /** Calls `listener` when the body is cut, or at once if it was cut already. */
  onCut(listener: (why: ApiError) => void): void;
  /** Call it when nothing reads the body any more. */
  end(): void;
}

export interface IncomingBodies {
  readonly count: CountBody;
  begin(request: IncomingMessage, sender: Sender): IncomingBody;
  /** Counts the memory of a body that has arrived and waits. Calls `cut` if others need the memory. Returns a function that ends this. */
  keep(sender: Sender, bytes: number, cut: (why: ApiError) => void): () => void;
  /**
   * Reads and drops the rest of a body, so that its sender can read the answer: a client that is still sending when its connection
   * closes may never read it. Resolves at the end of the body, or when enough was dropped.
   */
  drop(request: IncomingMessage): Promise<void>;
}

/** Applies the budgets of memory, speed and time to arriving bodies. */
export function createIncomingBodies(deps: Pick<Deps, "clock" | "settings" | "stopping">): IncomingBodies {
  const { settings, stopping } = deps;
  const { budgets } = settings;
  const pace = createPace(budgets, stopping);
  const memory = createBodyMemory(budgets);
  const wasCut = new WeakSet<IncomingMessage>();
  const noMore = new WeakSet<IncomingMessage>();
  const usual = { bytes: budgets.droppedBytes, milliseconds: budgets.dropMilliseconds };
  const brief = { ...usual, milliseconds: budgets.lingerMilliseconds };
  let dropping = 0;

  return {
    count: createCountBody(deps),

    begin(request, sender) {
      let why: ApiError | undefined;
      let tell: (why: ApiError) => void = () => {};
      // There may be no memory for the first bytes. Then the body is cut before `end` is set.
      let end = () => {};
      const cut = (reason: ApiError) => {
        if (why) return;
        why = reason;
        wasCut.add(request);
        end();
        tell(reason);
      };
      const held = memory(sender, (reason) => {
        // Reading on would use more memory.
        noMore.add(request);
        cut(reason);
      });
      const unwatch = why ? () => {} : pace.watch(request, cut);
      end = () => {
        unwatch();
        held.end();
      };
      const onCut: IncomingBody["onCut"] = (listener) => {
        tell = listener;
        if (why) listener(why);
      };
      return { hold: held.hold, cut, onCut, end };
    },

    keep(sender, bytes, cut) {
      const held = memory(sender, cut);
      held.hold(bytes);
      return held.end;
    },

    async drop(request) {
      if (request.complete || request.destroyed || noMore.has(request)) return;
      if (dropping >= budgets.drops) return;
      dropping += 1;
      await new Promise<void>((resolve) => {
        const unwatch = pace.watch(request, () => resolve(), wasCut.has(request) ? brief : usual);
        const over = () => {
          unwatch();
          resolve();
        };
        request.removeAllListeners("data");
        request.once("end", over).once("close", over).resume();
      });
      dropping -= 1;
    },
  };
}
