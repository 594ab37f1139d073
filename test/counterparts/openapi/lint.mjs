// Prints the findings of redocly and spectral, with their recommended rules, as JSON. The arguments are the documents.
import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";

const config = await createConfig({ extends: ["recommended"] });
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [rulesets.oas] });

const redoclyOn = async (source, absoluteRef) =>
  (await lintFromString({ source, absoluteRef, config })).map(
    ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place.pointer})`,
  );
const spectralOn = async (source) =>
  (await spectral.run(JSON.parse(source))).map(
    ({ code, message, path }) => `${code}: ${message} (${path.join("/")})`,
  );

const found = [];
for (const file of process.argv.slice(2)) {
  const source = readFileSync(file, "utf8");
  found.push({ redocly: await redoclyOn(source, file), spectral: await spectralOn(source) });
}
process.stdout.write(JSON.stringify(found));
