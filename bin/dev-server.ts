import { serveThrowaway } from "../server/dev/throwaway/serve-throwaway.ts";

/** The server that `innkeep dev exec` and `innkeep/testing` start. Its only argument is its options as JSON. */
const [, , options = "{}"] = process.argv;
const { env: environment, stdin: input, stdout, stderr } = process;
const code = await serveThrowaway(JSON.parse(options), {
  environment,
  input,
  out: (line) => void stdout.write(`${line}\n`),
  err: (text) => void stderr.write(text),
});
process.exit(code);
