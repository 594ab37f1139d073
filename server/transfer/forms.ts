import { appData } from "../../src/contract/app-data.ts";
import { filledAgain } from "../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../console/reply.ts";
import type { UploadVisit } from "../console/visit.ts";
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
