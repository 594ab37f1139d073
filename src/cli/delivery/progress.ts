import type { FileContent } from "../../client/file-content.ts";
import type { Invocation } from "../core/context.ts";
import { note } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";

/** Shows on standard error how much of a body is sent. */
export interface Progress {
  update(sentBytes: number, totalBytes: number): void;
  /** Removes the bar. */
  end(): void;
}

/**
 * A bar on a terminal that can clear it, else a line for each file that is sent. Nothing without files, or with
 * `--json` in a pipe.
 */
export function showProgress(invocation: Invocation, { files }: FileContent): Progress {
  const { stderr } = invocation.context.io;
  if (files.length === 0) return silent;
  if (stderr.isTerminal && invocation.context.env.TERM !== "dumb") return progressBar(invocation);
  return invocation.flags.json ? silent : progressLines(invocation, files);
}

const silent: Progress = { update: () => {}, end: () => {} };

const clearLine = "\r\u001b[2K";
const widestBar = 24;
const textWidth = 28;

function progressBar({ context }: Invocation): Progress {
  const { stderr } = context.io;
  let shown = "";
  return {
    update(sent, total) {
      const line = barLine(sent / total, total, stderr.columns);
      if (line === shown) return;
      shown = line;
      stderr.write(`${clearLine}${line}`);
    },
    end() {
      if (shown !== "") stderr.write(clearLine);
      shown = "";
    },
  };
}

function barLine(part: number, total: number, columns: number): string {
  const width = Math.max(0, Math.min(widestBar, columns - textWidth));
  const filled = Math.floor(width * part);
  const bar = "█".repeat(filled) + "░".repeat(width - filled);
  return `Sending ${bar} ${String(Math.floor(100 * part)).padStart(3)} % of ${megabytes(total)}`;
}

function progressLines(invocation: Invocation, files: FileContent["files"]): Progress {
  let through = 0;
  return {
    update(sent) {
      for (let file = files[through]; file && sent >= file.endsAt; file = files[through]) {
        through += 1;
        note(
          invocation,
          `Sent ${onOneLine(file.name)} (${megabytes(file.bytes)}), file ${through} of ${files.length}.`,
        );
      }
    },
    end: () => {},
  };
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
