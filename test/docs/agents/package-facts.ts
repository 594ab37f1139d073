import { z } from "zod";
import { readText } from "../../support/sources/tree.ts";

const Package = z.object({
  name: z.string(),
  mcpName: z.string(),
  version: z.string(),
  description: z.string(),
  homepage: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
});

/** The facts in `package.json` that other descriptions of the package repeat. */
export const packageFacts = Package.parse(JSON.parse(readText("package.json")));

/** The address of the repository, as browsers open it. */
export const repository = packageFacts.homepage.replace(/#.*$/, "");
