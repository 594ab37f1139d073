import type { Context } from "koa";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { senderOf } from "../http/body/incoming-body.ts";
import { counted } from "../http/body/read-body.ts";
import { createBodyReader, type Door } from "../http/mount.ts";
import { refuseForeignForm } from "./browser-request.ts";
import { noteDone } from "./drafts/note-done.ts";
import { fieldsOf } from "./form-values.tsx";
import type { Reply } from "./reply.ts";
import type { PageHandler, UploadVisit } from "./visit.ts";
import type { ConsoleDeps, OfCaller } from "./visits.ts";

interface UploadForm {
  /** It has the rules of the body. */
  readonly endpoint: Endpoint;
  readonly answer: PageHandler<UploadVisit>;
}

/** Makes a function that answers a form with files, which are on the disk for so long. */
export function createAnswerUpload(deps: ConsoleDeps, door: Door, ofCaller: OfCaller) {
  const readBody = createBodyReader(deps, door);
  return async (
    ctx: Context,
    params: Readonly<Record<string, string>>,
    { endpoint, answer }: UploadForm,
  ): Promise<Reply> => {
    const browser = door.readCredentials(ctx, true);
    refuseForeignForm(browser, deps.settings);
    const caller = await door.authenticate("session", browser);
    const judging = { arrivals: door.arrivals, sender: senderOf(caller, door.addressOf(ctx.req)) };
    const { value, discard } = await counted(judging, () =>
      readBody(ctx, endpoint, { caller, idempotencyKey: undefined }),
    );
    try {
      const body = Object.fromEntries(Object.entries(Object(value)));
      const texts = Object.entries(body).flatMap(([name, text]) =>
        typeof text === "string" ? [[name, text]] : [],
      );
      const sent = fieldsOf(new URLSearchParams(texts));
      const visit = { ...(await ofCaller(ctx, params, { caller, sent })), body };
      return await noteDone(ctx, visit, await answer(visit));
    } finally {
      if (discard) await discard();
    }
  };
}
