import type { ClientOptions } from "../options.ts";
import type { Transport } from "./wire.ts";

/** Calls `onExchange` after every request, with its answer or error. */
export function traced(transport: Transport, { onExchange }: ClientOptions, now: () => Date): Transport {
  if (!onExchange) return transport;
  return async (request) => {
    const start = now().getTime();
    const took = () => now().getTime() - start;
    try {
      const answer = await transport(request);
      onExchange({ request, answer, milliseconds: took() });
      return answer;
    } catch (error) {
      onExchange({ request, error, milliseconds: took() });
      throw error;
    }
  };
}
