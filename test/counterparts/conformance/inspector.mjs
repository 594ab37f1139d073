import { innkeep } from "../demo-server.mjs";
import { runPackages } from "../programs.mjs";

const inspector = "@modelcontextprotocol/inspector@2.12.0";
const eras = ["legacy", "modern"];

/** Lists the tools with the Inspector in strict mode, over both transports and in both eras of the protocol. */
export async function checkInspector({ listening, demo }, report) {
  const bearer = `Authorization: Bearer ${demo.agentToken}`;
  const environment = { INNKEEP_BASE_URL: listening, INNKEEP_AGENT_TOKEN: demo.agentToken };
  const variables = Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const targets = {
    "standard input": ["node", innkeep, "mcp", ...variables],
    HTTP: [`${listening}/mcp`, "--transport", "http", "--header", bearer],
  };
  for (const [transport, target] of Object.entries(targets))
    for (const era of eras)
      report(`the Inspector over ${transport}, ${era}`, await faultsWith([...target, "--protocol-era", era]));
}

async function faultsWith(target) {
  const words = [
    "mcp-inspector",
    "--cli",
    ...target,
    "--method",
    "tools/list",
    "--strict",
    "--format",
    "json",
  ];
  const { code, stdout, stderr } = await runPackages([inspector], words);
  const told = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("npm "));
  const listed = /"name":"read_feedback"/.test(stdout) && /"name":"propose_plan"/.test(stdout);
  return code === 0 && listed && told.length === 0 ? [] : [`exit ${code}`, stdout.slice(0, 500), ...told];
}
