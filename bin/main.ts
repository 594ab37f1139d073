import { runCli } from "../src/cli/core/program/run-cli.ts";
import { processContext } from "./process-context.ts";
import { openStreams } from "./process-io.ts";

/** Runs the command line of this process, and ends it. */
export async function main(): Promise<void> {
  const code = await runCli(process.argv.slice(2), processContext(interruption()));
  await flushed();
  process.exit(code);
}

/** Aborts when the person or the system wants the process to end. A second request ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Error("interrupted"));
    });
  }
  return controller.signal;
}

/** Waits until all output is written. */
async function flushed(): Promise<void> {
  for (const stream of openStreams()) {
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
    });
  }
}
