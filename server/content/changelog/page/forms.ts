import { consoleChangelog } from "../../../../src/contract/console-changelog.ts";
import { changedValues } from "../../../console/changed-values.ts";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { currentEntry, entryAgain, entryBody, givenEntry } from "./changelog-entry-values.ts";
import { entryPageAgain, readEntry } from "./entry.tsx";

export const createEntry = (visit: SignedInVisit): Promise<Reply> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const body = entryBody(givenEntry(fields));
    const params = { appId: param("appId") };
    const entry = await ask(consoleChangelog.create, { params, body, idempotencyKey: fields.idempotencyKey });
    return entry.id;
  });

export const updateEntry = (visit: SignedInVisit): Promise<Reply> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const current = currentEntry(await readEntry(visit));
    const body = entryBody(changedValues(fields, givenEntry(fields), current));
    const params = { entryId: param("entryId") };
    await ask(consoleChangelog.update, { params, body, idempotencyKey: fields.idempotencyKey });
    return params.entryId;
  });

export async function deleteEntry({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(consoleChangelog.remove, {
    params: { entryId: param("entryId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.changelog(param("appId")), "entry-deleted");
}

/**
 * Handles the buttons of the form. Two only show it again; the others save, and one of them publishes. `save` gives the
 * entry's id.
 */
async function handleButton(
  visit: SignedInVisit,
  save: (visit: SignedInVisit) => Promise<string>,
): Promise<Reply> {
  const { fields, links, param } = visit;
  const intent = fields.text("intent");
  if (intent === "preview") return { ...(await entryPageAgain(visit, { preview: true })), sentFields: [] };
  if (intent === "more") return { ...(await entryPageAgain(visit, { more: true })), sentFields: [] };
  return reshowForm(
    async () => {
      const entryId = await save(visit);
      if (intent === "publish") await publish(visit, entryId);
      return goTo(links.changelog(param("appId")), intent === "publish" ? "published" : "entry-saved");
    },
    (refusal) => entryPageAgain(visit, { form: entryAgain(fields, refusal) }),
  );
}

const publish = ({ ask, fields }: SignedInVisit, entryId: string) =>
  ask(consoleChangelog.publish, { params: { entryId }, idempotencyKey: fields.idempotencyKey });
