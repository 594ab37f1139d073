import { badRequest } from "../../../src/contract/errors.ts";
import { isReceivedFile } from "../../../src/contract/files.ts";
import type { texts as contract } from "../../../src/contract/texts.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Deps } from "../../deps.ts";
import { createAppStorage, uploadOf } from "../../feedback/reports/uploads.ts";
import type { AnswerOf, Handlers, Request } from "../../http/handler.ts";
import { htmlOf } from "./html.ts";
import { markdownOfPicture } from "./rules.ts";
import { pictures } from "./store.ts";

type AddsPictures = typeof contract.addFaqPictures | typeof contract.addReleasePictures;

/** The endpoints that FAQ entries and release notes share: the preview of a text, and the upload of pictures. */
export function texts(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "newId" | "settings">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  const storage = createAppStorage(deps);

  /** Stores pictures. Throws `bad_request` if they would exceed the storage limit of the app. (rule C26) */
  const addPictures = async ({
    caller,
    address,
    params: { appId },
    body,
    save,
  }: Request<AddsPictures>): Promise<AnswerOf<AddsPictures>> => {
    await ownedApp(deps.database, appId, caller);
    const received = body.pictures.filter(isReceivedFile);
    const files = received.flatMap((file) =>
      file.detectedType === null ? [] : [uploadOf(file, file.detectedType)],
    );
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return storage.withRoom(appId, bytes, (fits) => {
      if (!fits) throw badRequest("pictures", "do not fit, because the storage of the app is full");
      return deps.keptFiles.keepFor(received, () =>
        save(
          async (tx) => {
            await ownedApp(tx, appId, caller);
            const createdAt = deps.clock.now().toISOString();
            for (const file of files) await pictures.insert(tx, { ...file, appId, createdAt });
            await record(tx, { caller, address }, { action: "picture.create", appId, target: appId });
            return { pictures: files.map(({ name, fileName }) => pictureAt(name, fileName)) };
          },
          { first: (tx) => deps.keptFiles.secure(tx, received) },
        ),
      );
    });
  };

  const pictureAt = (name: string, fileName: string | null) => {
    const url = `${deps.settings.baseUrl}/uploads/${name}`;
    return { url, markdown: markdownOfPicture(url, fileName === name ? null : fileName) };
  };

  return {
    preview: async ({ body: { markdown } }) => ({ html: await htmlOf(deps.settings, markdown) }),
    addFaqPictures: addPictures,
    addReleasePictures: addPictures,
  };
}
