import { appData } from "../../../../src/contract/console/data/app-data.ts";
import { filledAgain } from "../../kit/form/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../reply.ts";
import type { UploadVisit } from "../../visit.ts";
import { showImport } from "./page.tsx";

/** Makes a new app of the file that was sent. */
export function importApp(visit: UploadVisit): Promise<Reply> {
  const { ask, fields, links, body } = visit;
  return reshowForm(
    async () => {
      const { appId } = await ask(appData.import, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.app(appId), "app-imported");
    },
    (refusal) => showImport(visit, filledAgain(fields, refusal)),
  );
}
