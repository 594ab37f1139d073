import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPackages } from "../programs.mjs";

const green = ["SUCCESS", "INFO", "SKIPPED"];

/**
 * Runs a suite against the tools and reports each scenario. A failed scenario must be listed with what it needs and
 * with every check that fails. A listed check that passes is an error, too.
 */
export async function checkSuite({ version, name, flags, unmet }, url, report) {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-conformance-"));
  try {
    const words = ["conformance", "server", "--url", url, ...flags, "--output-dir", folder];
    const ran = await runPackages([`@modelcontextprotocol/conformance@${version}`], words);
    const scenarios = await readScenarios(folder);
    if (scenarios.size === 0) return report(name, [`the suite did not run: ${ran.stdout}${ran.stderr}`]);
    const listed = new Map(unmet.map(([scenario, , ...checks]) => [scenario, checks]));
    for (const [scenario, checks] of scenarios)
      report(`${name}: ${scenario}`, [
        ...(checks.length === 0 ? [`${scenario} checked nothing`] : []),
        ...faultsOf(checks, listed.get(scenario) ?? []),
      ]);
    const unknown = [...listed.keys()].filter((scenario) => !scenarios.has(scenario));
    report(
      `${name}: the list`,
      unknown.map((scenario) => `${scenario} is listed but the suite has no such scenario`),
    );
    const passed = [...scenarios.keys()].length - listed.size;
    process.stdout.write(
      `${name}: ${passed} scenarios green, ${listed.size} ask for what Innkeep does not offer\n`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The checks of each scenario, from the files that the suite writes. */
async function readScenarios(folder) {
  const scenarios = new Map();
  for (const entry of (await readdir(folder)).sort()) {
    const scenario = entry.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    scenarios.set(scenario, JSON.parse(await readFile(join(folder, entry, "checks.json"), "utf8")));
  }
  return scenarios;
}

function faultsOf(checks, listed) {
  const failed = checks.filter(({ status }) => !green.includes(status));
  const unexpected = failed.filter(({ id }) => !listed.includes(id));
  const better = listed.filter((id) => !failed.some((check) => check.id === id));
  return [
    ...unexpected.map(({ id, status, errorMessage = "" }) => `${id}: ${status} ${errorMessage}`),
    ...better.map((id) => `${id} is listed and passes: take it out of the list`),
  ];
}
