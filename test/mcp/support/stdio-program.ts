import { serveStdio } from "../../../mcp/stdio.ts";

const { BASE_URL: baseUrl = "", AGENT_TOKEN: agentToken, STATE: stateDirectory, NOISE } = process.env;

/** A dependency that prints to standard output; it may have stored `console` before our code runs. */
const chatterOn = (printer: Console) => () => {
  process.stdout.write("a banner\n");
  process.stdout.write(new TextEncoder().encode("{ not json\n"));
  printer.log("listening on", 1);
  printer.table([{ a: 1 }]);
};

const early = chatterOn(globalThis.console);
const served = serveStdio({ version: "1.2.3", baseUrl, agentToken, stateDirectory, io: process });
if (NOISE) {
  setInterval(early, 5);
  setInterval(chatterOn(globalThis.console), 5);
}
served.then((code) => process.exit(code));
