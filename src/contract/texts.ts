import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { canonicalLanguage } from "./content-text.ts";
import { endpoint } from "./endpoint.ts";
import { file, markdown } from "./fields.ts";
import { contentPictures, limits } from "./limits.ts";

/** The address of a stored picture, and the Markdown that shows the picture in a text. */
const StoredPicture = z.object({ url: z.string(), markdown: z.string() });

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

/** Checks the language tags that are the keys of an object, and changes them to their canonical form. */
const inCanonicalForm = <Text>() =>
  z.check<Record<string, Text>>((payload) => {
    const entries = Object.entries(payload.value);
    if (entries.length > limits.languages)
      payload.issues.push({
        ...{ code: "custom", input: payload.value, continue: true },
        message: `must have at most ${limits.languages} languages`,
      });
    payload.value = Object.fromEntries(
      entries.flatMap(([language, text]) => {
        const canonical = canonicalLanguage(language);
        if (canonical !== undefined) return [[canonical, text]];
        payload.issues.push({
          ...{ code: "custom", input: language, continue: true, path: [language.slice(0, 100)] },
          message: "must be a language tag such as de or pt-BR",
        });
        return [];
      }),
    );
  });

/**
 * Translations in a request, by language. Null deletes a translation. Languages that are left out do not change. (rule
 * C34)
 */
export const givenTranslations = <Text extends z.ZodMiniType>(translation: Text) =>
  z.optional(
    z.record(z.string(), z.nullable(translation)).check(
      inCanonicalForm(),
      z.meta({
        description:
          "Texts in other languages, by BCP 47 tag. Null deletes a translation. Languages that are left out do not change.",
      }),
    ),
  );

/** Translations in an answer, by language. */
export const translations = <Shape extends z.ZodMiniType>(translation: Shape) =>
  z.record(z.string(), translation);

/** The fields of a translation in an answer, in addition to its text. */
export const aboutTranslation = {
  /** Whether the text of the default language has changed since this translation was saved. */
  outdated: z.boolean(),
  updatedAt: z.string().check(z.meta({ format: "date-time" })),
};

/** The query parameter for the language of the texts that apps read. */
export const wantedLanguage = z.optional(
  z.string().check(
    z.meta({
      description:
        "The language of the user, such as `de-AT`. Texts are in `de-AT` if there is a translation, otherwise in `de`, otherwise in the default language. Without this parameter, or if its value is not a language tag, the answer is in the default language.",
    }),
  ),
);
