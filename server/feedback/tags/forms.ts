import { tags } from "../../../src/contract/tags.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showTags } from "./page.tsx";

export function createTag(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      await ask(tags.create, { params, body: bodyOf(visit), idempotencyKey: fields.idempotencyKey });
      return goTo(links.tags(params.appId), "tag-made");
    },
    (refusal) => showTags(visit, { form: filledAgain(fields, refusal) }),
  );
}

export function updateTag(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { tagId: param("tagId") };
  return reshowForm(
    async () => {
      await ask(tags.update, { params, body: bodyOf(visit), idempotencyKey: fields.idempotencyKey });
      return goTo(links.tags(param("appId")), "changed");
    },
    (refusal) => showTags(visit, { form: filledAgain(fields, refusal), tagId: param("tagId") }),
  );
}

const bodyOf = ({ fields }: SignedInVisit) => ({
  name: fields.text("name"),
  colour: fields.text("colour") || null,
});

export async function mergeTag({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const body = { into: fields.text("into") };
  const params = { tagId: param("tagId") };
  await ask(tags.merge, { params, body, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tags(param("appId")), "tag-merged");
}

export async function deleteTag({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  await ask(tags.remove, { params: { tagId: param("tagId") }, idempotencyKey: fields.idempotencyKey });
  return goTo(links.tags(param("appId")), "tag-deleted");
}
