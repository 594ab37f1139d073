import { apps } from "../../../src/contract/apps.ts";
import { badRequest } from "../../../src/contract/errors.ts";
import { changedValues, givenFor } from "../../console/changed-values.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { appBody, currentApp, emptyApp } from "./app-values.ts";
import { showNewApp } from "./new-app-page.tsx";
import { type Doomed, showApp } from "./page.tsx";

export function createApp(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = appBody(givenFor(fields, emptyApp));
      const app = await ask(apps.create, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.app(app.id), "app-created");
    },
    (refusal) => showNewApp(visit, filledAgain(fields, refusal)),
  );
}

export function updateApp(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const current = currentApp(await ask(apps.read, { params }));
      const body = appBody(changedValues(fields, givenFor(fields, current), current));
      const doomed = await oldThreads(visit, body.retentionDays);
      if (doomed) return showApp(visit, { edit: { value: fields.text, sent: true }, doomed });
      await ask(apps.update, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.app(params.appId), "changed");
    },
    (refusal) => showApp(visit, { edit: filledAgain(fields, refusal) }),
  );
}

/** The threads that the next cleanup deletes with a new setting, unless the person has seen that. */
async function oldThreads({ ask, fields, param }: SignedInVisit, days: unknown): Promise<Doomed | undefined> {
  if (typeof days !== "number" || fields.text("seenDays") === String(days)) return undefined;
  const params = { appId: param("appId") };
  const query = { days: String(days) };
  const old = await ask(apps.retention, { params, query });
  return old.threads === 0 ? undefined : { days, ...old };
}

/** Deletes an app after its name was typed, so that nobody deletes the wrong app by mistake. */
export function deleteApp(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const { name } = await ask(apps.read, { params });
      if (fields.text("confirmation").trim() !== name)
        throw badRequest("confirmation", "does not match the name of this app");
      await ask(apps.remove, { params, idempotencyKey: fields.idempotencyKey });
      return goTo(links.home, "app-deleted");
    },
    (refusal) => showApp(visit, { removal: filledAgain(fields, refusal) }),
  );
}
