import { serveThrowaway } from "../server/dev/throwaway.ts";

export { runAdmin } from "../server/admin/main.ts";
export { checkParts, serve } from "../server/main.ts";

/**
 * Runs the temporary server of `innkeep dev exec` and `innkeep/testing`, and ends the process. Reads options from
 * standard input.
 */
export async function throwaway(): Promise<void> {
  const { env: environment, stdin: input, stdout, stderr } = process;
  const code = await serveThrowaway({
    environment,
    input,
    out: (line) => void stdout.write(`${line}\n`),
    err: (text) => void stderr.write(text),
  });
  process.exit(code);
}
