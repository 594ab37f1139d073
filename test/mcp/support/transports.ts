import { rounds } from "../../support/torture.ts";
import { eras, type TestClient } from "./clients.ts";
import type { FakeApi } from "./fake-api.ts";
import { openFakeHttpSession } from "./fake-http-session.ts";
import { openMcpSession } from "./mcp-session.ts";

const [older, newer] = eras;

/**
 * All six tools over each transport, in each era; the short form of the tests uses each transport and each era once.
 */
export const transports = [
  { transport: "stdio", era: older },
  { transport: "HTTP", era: newer },
  { transport: "stdio", era: newer },
  { transport: "HTTP", era: older },
]
  .slice(0, rounds(2, 4))
  .map(({ transport, era }) => ({
    name: `${transport} of ${era}`,
    open: async (api: FakeApi): Promise<TestClient> =>
      transport === "HTTP"
        ? openFakeHttpSession(era, api)
        : (await openMcpSession(era, { baseUrl: api.baseUrl, work: true })).client,
  }));
