import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { startContinuous } from "../../../server/start/open-continuous.ts";
import { sqlite } from "../database/databases.ts";
import { eventually } from "../eventually.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../service/deployment.ts";

export const secret = "the secret of a deployment of the tests";

/** A deployment on SQLite, which is removed after the test. */
export const deploy = async (): Promise<Deployment> => {
  const deployment = await makeDeployment(sqlite);
  onTestFinished(() => deployment.remove());
  return deployment;
};

/** A deployment whose server copies all changes into a folder. */
export async function copiedDeployment(more: Record<string, string> = {}) {
  const deployment = await deploy();
  const copies = await temporaryFolder();
  await writeFile(join(deployment.data, "secret"), secret);
  const service = await deployment.serve({
    secret,
    environment: { INNKEEP_CONTINUOUS_BACKUP: copies, INNKEEP_CONTINUOUS_BACKUP_SECONDS: "1", ...more },
  });
  const backup = startContinuous(service.deps);
  if (!backup) throw new Error("There is no continuous backup.");
  const copied = async () => {
    const now = Date.now();
    await eventually(() => expect(Number(backup.status().copiedAt ?? 0)).toBeGreaterThan(now));
    return new Date().toISOString();
  };
  const stop = async () => {
    await backup.stop();
    await service.stop();
    await backup.close();
  };
  return { deployment, service, copies, copied, stop, from: { place: copies } };
}
