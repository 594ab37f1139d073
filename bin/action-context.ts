import type { Context } from "../src/cli/core/context.ts";
import { contextOfProcess } from "./process.ts";
import { processIo } from "./process-io.ts";

/** The context of a step of GitHub Actions, in which there is neither a person nor another program of the package. */
export const contextOfAction = (signal: AbortSignal): Context =>
  contextOfProcess(
    { io: processIo(signal), signal },
    {
      keychain: async () => undefined,
      openBrowser: absent,
      openEditor: absent,
      wordsToStart: absent,
      checkServer: absent,
      programs: { serve: absent, admin: absent, mcp: absent, devExec: absent },
    },
  );

const absent = () => Promise.reject(new Error("A step of a job cannot do this."));
