import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EditedChangelogEntry } from "../../../src/contract/changelog.ts";
import { createCommandLine, type Ran } from "../clients/command-line.ts";
import type { Service } from "../service/service.ts";
import { makeChangelogCommandLines } from "./changelog-command-lines.ts";
import { sendFeedback } from "./owner-with-one-of-each.ts";

type Env = Readonly<Record<string, string>>;

/** A maintainer with a folder of files and an app without release notes. */
export async function makeReleasingMaintainer(service: Service) {
  const { app, line, token, create, reader } = await makeChangelogCommandLines(service);
  const other = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
  const headers = { authorization: `Bearer ${token}` };
  const stored = async (): Promise<readonly EditedChangelogEntry[]> => {
    const path = `/api/v1/console/apps/${app.id}/changelog`;
    return Object((await service.request("GET", path, { headers })).body).items;
  };
  /** Runs `changelog …`; a last argument that is not a text is the environment. */
  const runOn =
    (own: typeof line, cwd: string) =>
    (...given: readonly (string | Env)[]): Promise<Ran> => {
      const env = given.find((part) => typeof part !== "string");
      const argv = given.filter((part) => typeof part === "string");
      return own.run(["changelog", ...argv], { ...(env && { env }), world: { cwd } });
    };
  return {
    folder: line.cwd,
    token,
    create,
    /** With the app key. */
    read: runOn(reader, line.cwd),
    run: runOn(line, line.cwd),
    /** Another job with the same checkout. */
    another: runOn(other, line.cwd),
    write: (name: string, text: string) => writeFile(join(line.cwd, name), text),
    /** The release notes that the maintainer sees. */
    stored,
    /** The release notes that apps see. */
    async published(): Promise<readonly EditedChangelogEntry[]> {
      const key = { "x-api-key": app.key };
      return Object((await service.request("GET", "/api/v1/changelog/remote", { headers: key })).body)
        .entries;
    },
    /** Edits the release note of a version, as a person in the console does. */
    async edit(version: string, body: object): Promise<void> {
      const entry = (await stored()).find((one) => one.version === version);
      await service.request("PATCH", `/api/v1/console/changelog/${entry?.id}`, { headers, body });
    },
    report: () => sendFeedback(service, app.key),
  };
}
