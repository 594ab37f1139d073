import type { ClientOptions } from "../options.ts";
import type { Transport } from "./wire.ts";

/** Tells `onExchange` of every request and how it ended. */
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
