import { CliError } from "../src/cli/core/cli-error.ts";
import type { Context } from "../src/cli/core/context.ts";
import { runCli } from "../src/cli/core/program.ts";
import { contextOfProcess, processIo, runProcess, version } from "./process.ts";

/** Runs the command line of the executable and ends the process. The executable needs no Node. */
export const main = (): Promise<void> =>
  runProcess((signal) => runCli(process.argv.slice(2), contextOfExecutable(signal)));

/**
 * Creates the context of a command. Credentials are in a private file, because the executable cannot load the
 * keychain.
 */
function contextOfExecutable(signal: AbortSignal): Context {
  return contextOfProcess(
    { io: processIo(signal), signal },
    {
      keychain: async () => undefined,
      openBrowser: async (url) => (await import("./browser.ts")).openBrowser(url),
      openEditor: async (command, file) =>
        (await import("./start-programs.lazy.ts")).openEditor(command, file),
      wordsToStart: async () => [process.execPath],
      checkServer: serverIsMissing,
      programs: {
        serve: serverIsMissing,
        admin: serverIsMissing,
        devExec: serverIsMissing,
        async mcp(request) {
          const { serveStdio } = await import("../mcp/stdio.ts");
          const { stdin, stdout, stderr } = process;
          return serveStdio({ ...request, version, signal, io: { stdin, stdout, stderr } });
        },
      },
    },
  );
}

async function serverIsMissing(): Promise<never> {
  throw new CliError({
    exit: "unexpected",
    code: "missing_package",
    message: "This executable does not contain the server. It has the client's commands and `mcp`.",
    next: "Install the package with npm to run `serve`, `dev` or `admin`.",
  });
}
