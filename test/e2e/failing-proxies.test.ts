import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { failingProxies, startProxy } from "../support/network/failing-proxies.ts";
import { innkeep } from "../support/programs/built-program.ts";

const propose = ["agent", "propose", "1", "--summary", "s", "--plan", "p"];
const library = new URL("../../dist/index.js", import.meta.url).href;

it("a program that imports the client ends with every failing proxy", async () => {
  const proxies = await Promise.all(Object.values(failingProxies).map((answer) => startProxy(answer)));
  const program = `
    import { createClient } from ${JSON.stringify(library)};
    const calls = ${JSON.stringify(proxies.map(({ address }) => address))}.map((https) =>
      createClient({
        baseUrl: "https://api.example", credentials: { appKey: "sdk_x" }, proxy: { https }, attempts: 1, timeoutMs: 300,
      }).faqs.list().catch((error) => error.name));
    console.log(JSON.stringify(await Promise.all(calls)));
  `;
  const { code, stdout } = await runModule(program);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(proxies.map(() => "ConnectionError"));
  for (const proxy of proxies) expect(proxy.connections()).toBeLessThanOrEqual(4);
});

it.each(["hangs up", "stays silent"] as const)("a command ends if its proxy %s", async (name) => {
  const proxy = await startProxy(failingProxies[name]);
  const env = {
    ...{ INNKEEP_BASE_URL: "https://api.example", INNKEEP_AGENT_TOKEN: "sda_ofTheTest" },
    ...{ HTTPS_PROXY: proxy.address, CI: "true", INNKEEP_CONFIG_DIR: await temporaryFolder() },
  };
  const { code, stderr } = await innkeep([...propose, "--timeout", "1s", "--max-wait", "1s"], { env });
  expect({ code, stderr }).toMatchObject({ code: 75, stderr: expect.stringContaining("No answer from") });
  expect(proxy.connections()).toBeLessThanOrEqual(4);
});

async function runModule(program: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout };
}
