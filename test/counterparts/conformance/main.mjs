// Tests the real server with the official suites of the protocol: `npm run conformance`. It needs the npm registry.
import { startDemo, startTokenProxy } from "../demo-server.mjs";
import { createReport } from "../programs.mjs";
import { checkAuthorization } from "./authorization.mjs";
import { checkInspector } from "./inspector.mjs";
import { checkSuite } from "./suite.mjs";
import { suites } from "./suites.mjs";

const { report, end } = createReport();
const proxy = await startTokenProxy();
// The server is configured with the address of the proxy, as behind any proxy. So pages of that address may call it.
const demo = await startDemo({ INNKEEP_BASE_URL: proxy.baseUrl });
try {
  Object.assign(proxy.target, { baseUrl: demo.listening, token: demo.demo.agentToken });
  for (const suite of suites) await checkSuite(suite, `${proxy.baseUrl}/mcp`, report);
  await checkAuthorization(suites.at(-1).version, demo, report);
  await checkInspector(demo, report);
} finally {
  await demo.stop();
  proxy.stop();
}
end();
