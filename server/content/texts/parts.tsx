import { type ComponentChildren, h } from "preact";
import { isReceivedFile } from "../../../src/contract/files.ts";
import { contentPictures } from "../../../src/contract/limits.ts";
import type { texts } from "../../../src/contract/texts.ts";
import { type Fields, type Filled, faultAt, TextArea } from "../../console/forms.tsx";
import type { NotDone } from "../../console/notices.ts";
import type { UploadVisit } from "../../console/visit.ts";

/** A form, and the preview of its text beside it. */
export const Desk = ({
  form,
  preview,
}: {
  readonly form: ComponentChildren;
  readonly preview: ComponentChildren;
}) => (
  <div class="desk">
    <div>{form}</div>
    {preview}
  </div>
);

/** The HTML attributes of a text whose language differs from the language of the page. */
export interface TextLanguage {
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
}

/** The preview of a text. The script updates its content while the person types. */
export const Preview = ({
  label = "Preview",
  language,
  children,
}: {
  /** The language of the text, if it differs from the language of the page. */
  readonly language?: TextLanguage | undefined;
  /** The title. It is `Text` for a person who cannot change the text, and `Default text` beside a translation. */
  readonly label?: "Preview" | "Text" | "Default text" | undefined;
  readonly children: ComponentChildren;
}) => (
  <section
    class="card stack preview"
    aria-label={label}
    data-preview={label === "Preview" ? "" : undefined}
    tabIndex={-1}
  >
    {label !== "Text" && <p class="muted small">{label}</p>}
    {language ? (
      <div class="stack" {...language}>
        {children}
      </div>
    ) : (
      children
    )}
  </section>
);

/** A Markdown text as HTML. The renderer has escaped all HTML in the text. */
export const Rendered = ({ html }: { readonly html: string }) =>
  html.trim() === "" ? (
    <p class="muted">The text appears here.</p>
  ) : (
    // This is the only raw HTML in the console.
    h("div", { class: "markdown", dangerouslySetInnerHTML: { __html: html } })
  );

/** A field for Markdown, and below it the field that adds pictures to the text. */
export const MarkdownField = ({
  form,
  name,
  label,
  required = false,
  pictures,
  language,
}: {
  readonly language?: TextLanguage | undefined;
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly required?: boolean;
  /** The address to which the form sends pictures. */
  readonly pictures: string;
}) => (
  <>
    <TextArea
      form={form}
      name={name}
      label={label}
      size="tall"
      required={required}
      language={language}
      hint={
        <>
          You can use Markdown: <code>**bold**</code>, <code>- a list</code>, <code>[a link](https://…)</code>
          . HTML is shown as text.
        </>
      }
    />
    <PictureField form={form} into={name} action={pictures} />
  </>
);

const PictureField = ({
  form,
  into,
  action,
}: {
  readonly form: Filled;
  readonly into: string;
  readonly action: string;
}) => {
  const fault = faultAt(form, "pictures");
  return (
    <div class="field">
      <label for="field-pictures">Pictures</label>
      <div class="pick">
        <input
          type="file"
          id="field-pictures"
          name="pictures"
          accept={contentPictures.types.join(",")}
          multiple
          aria-describedby={
            fault === undefined ? "field-pictures-hint" : "field-pictures-hint field-pictures-fault"
          }
        />
        {h(
          "button",
          {
            type: "submit",
            class: "quiet",
            formaction: action,
            formenctype: "multipart/form-data",
            formnovalidate: true,
            "data-adds-pictures": into,
          },
          "Add to the text",
        )}
      </div>
      <p class="hint" id="field-pictures-hint">
        At most {contentPictures.most} at a time, each up to 2 MB: PNG, JPEG, WebP or GIF. Everybody who has
        the address of a picture can see it.
      </p>
      {fault !== undefined && (
        <p class="fault" id="field-pictures-fault">
          Pictures {fault}.
        </p>
      )}
    </div>
  );
};

/** The message of a page if pictures were not added. */
export const picturesNotAdded: NotDone = { word: "addPictures", notDone: "The pictures were not added." };

/**
 * Stores the pictures of a form. Returns the fields of the form, with the Markdown of the pictures added at the end of
 * a text.
 */
export async function withPictures(
  { ask, body, fields, param }: UploadVisit,
  endpoint: typeof texts.addFaqPictures | typeof texts.addReleasePictures,
  into: string,
): Promise<Fields> {
  const sent = Array.isArray(body.pictures) ? body.pictures.filter(isReceivedFile) : [];
  const params = { appId: param("appId") };
  const { pictures } = await ask(endpoint, { params, body: { pictures: sent } });
  const added = pictures.map(({ markdown }) => markdown).join("\n");
  const text = fields.text(into).trimEnd();
  const longer = text === "" ? added : `${text}\n\n${added}`;
  return { ...fields, text: (name) => (name === into ? longer : fields.text(name)) };
}
