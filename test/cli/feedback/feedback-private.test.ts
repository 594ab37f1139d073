import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sendOnce, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { png } from "../../support/files/sample-files.ts";
import { answers } from "../../support/network/recording-server.ts";

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

// Windows has no file modes.
it.skipIf(process.platform === "win32")(
  "an unsent report and its files can be read only by the person who sends it",
  async () => {
    const full = answers(500, { error: "The disk is full.", code: "internal" });
    const { line, keptId } = await startFeedbackSending(full);
    const image = join(line.cwd, "tea.png");
    await writeFile(image, png().bytes, { mode: 0o644 });
    await line.run([...sendOnce, "--image", image]);
    const folder = join(line.stateFolder, "spool", await keptId());
    const files = await readdir(folder);
    const modes = await Promise.all(["", ...files].map((name) => modeOf(join(folder, name))));
    expect(modes).toEqual(["700", "600", "600"]);
  },
);
