import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { file, markdown } from "./fields.ts";
import { contentPictures, limits } from "./limits.ts";

/** A stored picture: its address, and the Markdown with which a text shows the picture. */
const StoredPicture = z.object({ url: z.string(), markdown: z.string() });

/** The pictures of a request. */
const NewPictures = z.object({
  pictures: z
    .array(file(contentPictures))
    .check(
      z.minLength(1, "must have at least one picture"),
      z.maxLength(contentPictures.most, `must have at most ${contentPictures.most} pictures`),
    ),
});

/** The common part of the two endpoints that store pictures. */
const storesPictures = {
  method: "POST",
  auth: "console",
  role: "maintainer",
  params: appParams,
  body: NewPictures,
  bodyKind: "upload",
  upload: { files: { pictures: { bytes: contentPictures.bytes } }, bodyBytes: limits.contentPictures },
  success: { status: 201, body: z.object({ pictures: z.array(StoredPicture) }) },
  errors: ["not_found"],
  example: { request: { pictures: ["data:image/png;base64,iVBORw0KGgo="] } },
} as const;

/** The endpoints for the texts of FAQ entries and release notes, which are Markdown with pictures. */
export const texts = {
  preview: endpoint({
    method: "POST",
    path: "/api/v1/console/preview",
    summary: "Convert a Markdown text to HTML, as a preview; changes nothing",
    auth: "session",
    role: "account",
    body: z.object({ markdown: markdown(0, limits.changelogBody) }),
    success: { status: 200, body: z.object({ html: z.string() }) },
    errors: [],
    example: { request: { markdown: "Open **Settings**." } },
  }),
  addFaqPictures: endpoint({
    ...storesPictures,
    path: "/api/v1/console/apps/:appId/faqs/pictures",
    summary:
      "Store pictures for the texts of the FAQ; everybody who knows the address of a picture can see it",
    scope: "faqs:write",
  }),
  addReleasePictures: endpoint({
    ...storesPictures,
    path: "/api/v1/console/apps/:appId/changelog/pictures",
    summary: "Store pictures for release notes; everybody who knows the address of a picture can see it",
    scope: "changelog:write",
  }),
} as const;
