import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Runs the tool of the format. `pack` also checks the manifest. It is no dependency of the repository, because it brings
 * more packages than the build needs. Its errors hold what it printed.
 */
export async function bundleTool(...words) {
  const command = ["--yes", "@anthropic-ai/mcpb@2.1.2", ...words];
  await run("npx", command, { timeout: 300_000 }).catch((error) => {
    throw new Error(`mcpb ${words[0]}: ${error.stdout}${error.stderr}`);
  });
}
