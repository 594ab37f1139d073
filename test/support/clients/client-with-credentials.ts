import type { ClientOptions } from "../../../src/client/options.ts";
import { createClient } from "../../../src/client/send.ts";

export const appKey = "sdk_ofTheTest000000000000000000000000000";

/** A client with every credential, whose pauses take no time and are recorded. */
export function clientWithCredentials(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const pauses: number[] = [];
  const client = createClient({
    baseUrl,
    credentials: { appKey, agentToken: "sda_ofTheTest", maintainerToken: "sdm_ofTheTest" },
    random: () => 1,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
    },
    ...options,
  });
  return { client, pauses };
}
