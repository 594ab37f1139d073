import { fieldVersion, originalVersionName } from "./changed-values.ts";
import { draftFieldOf } from "./drafts/fields.ts";
import { type Fields, noFields } from "./form-values.tsx";
import type { Act } from "./notices.ts";

/** A text that was typed into a form, and the label of its field. */
export interface UnsavedText {
  readonly label: string;
  readonly text: string;
}

/** The texts in a form that differ from the form's first values. No password and no secret is among them. (rule O18) */
export const unsavedTextsIn = (fields: Fields): UnsavedText[] =>
  fields.entries().flatMap(([name, text]) => {
    const label = draftFieldOf(name)?.label;
    const typed = text.trim() !== "" && fields.text(originalVersionName(name)) !== fieldVersion(text);
    return label !== undefined && typed ? [{ label, text }] : [];
  });

const sent = new WeakMap<object, Fields>();

/** Remembers the fields of this request's form for its error page. */
export const rememberForm = (request: object, fields: Fields): void => void sent.set(request, fields);

/** The fields of this request's form; none when the form was not read. */
export const rememberedForm = (request: object): Fields => sent.get(request) ?? noFields;

const acts = new WeakMap<object, Act>();

/** Remembers what a person wanted to do with this request's form. */
export const rememberAct = (request: object, act: Act): void => void acts.set(request, act);

/** What a person wanted to do with this request's form; undefined if it is no form of the console. */
export const rememberedAct = (request: object): Act | undefined => acts.get(request);
