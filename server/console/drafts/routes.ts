import type { Context } from "koa";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Route } from "../../http/request-steps.ts";
import { type Fields, versionOf } from "../forms.tsx";
import type { Links } from "../links.ts";
import type { Reply } from "../respond.tsx";
import type { SignedInVisit } from "../visit.ts";
import type { Draft, TypedField } from "./api.ts";
import { draftFieldOf } from "./fields.ts";

type VisitOf = (ctx: Context, params: Readonly<Record<string, string>>) => Promise<SignedInVisit>;

/**
 * The maximum numbers of forms for which a page requests drafts, of texts in a form, and of writers that a text
 * replaces.
 */
const most = { forms: 50, fields: 500, replaced: 50 };

const longestPath = 1_000;

/** The two routes with which a script reads and saves drafts. Both answer with JSON. (rule O17) */
export const draftRoutes = (at: Links, visitOf: VisitOf): Route[] => [
  {
    method: "GET",
    path: at.draftsOfPage,
    async answer(ctx, params) {
      const { drafts } = await visitOf(ctx, params);
      const query = new URLSearchParams(ctx.querystring);
      const forms = query.getAll("form").slice(0, most.forms);
      const found = await drafts.listOfPage(query.get("page") ?? "", forms);
      answerJson(ctx, { items: found.map(shownDraft) });
    },
  },
  {
    method: "POST",
    path: at.saveDrafts,
    async answer(ctx, params) {
      const { answering, drafts, fields } = await visitOf(ctx, params);
      const [page, { form, writer }] = [fields.text("page"), sentDraftOf(fields)];
      const thread = fields.text("answering");
      if (![page, form].every(isPath) || !isWriter(writer) || !isThread(thread))
        throw new ApiError("bad_request");
      const [texts, versions] = [fields.all("text"), fields.all("was")];
      const typed = fields
        .all("field")
        .slice(0, most.fields)
        .map((field, at) => ({ field, text: texts[at] ?? "", was: (versions[at] ?? "").slice(0, 64) }))
        .filter(({ field, text }) => [...text].length <= (draftFieldOf(field)?.most ?? -1));
      const replaces = fields.all("replaces").filter(isWriter).slice(0, most.replaced);
      await drafts.save({ page, form, writer, fields: typed, replaces });
      if (thread !== "") await (typed.some(isAnswer) ? answering.note(thread) : answering.end(thread));
      answerJson(ctx, { kept: typed.map(({ field }) => field) });
    },
  },
];

/** Whether a field has text and is for an answer in a thread. */
const isAnswer = ({ field, text }: TypedField): boolean =>
  text.trim() !== "" && draftFieldOf(field)?.answers === true;

const isPath = (text: string): boolean => text.startsWith("/") && text.length <= longestPath;

const isThread = (text: string): boolean => /^[\w-]{0,64}$/.test(text);

const isWriter = (text: string): boolean => /^\w{8,64}$/.test(text);

const shownDraft = ({ page, form, field, writer, text, was, browser, updatedAt }: Draft) => ({
  ...{ page, form, field, writer, text, was, browser, updatedAt },
  label: draftFieldOf(field)?.label ?? "",
});

function answerJson(ctx: Context, body: object): void {
  ctx.set("Cache-Control", "no-store");
  ctx.body = body;
}

/**
 * Removes the drafts of a form after its action was done, and informs the script. The drafts of a refused form are not
 * removed. Returns `reply`. (rule O17)
 */
export async function noteDone<R extends Reply<string>>(
  ctx: Context,
  { fields, drafts, settings }: Pick<SignedInVisit, "fields" | "drafts" | "settings">,
  reply: R,
): Promise<R> {
  const { form, writer } = sentDraftOf(fields);
  if (form === "" || ("status" in reply && reply.status >= 400)) return reply;
  const { sentFields } = reply;
  const sent = fields.entries().filter(([name]) => sentFields?.includes(name) ?? true);
  // If this fails, the page offers the text again, so no text is lost.
  await drafts.removeSent({ form, writer, sent: new Map(sent) }).catch(() => undefined);
  const once = fields.idempotencyKey;
  if (once !== undefined) ctx.append("Set-Cookie", doneCookie(once, sentFields, settings));
  return reply;
}

/** Returns the form and the opened page to which a form's drafts belong. The script adds both to the form. */
const sentDraftOf = (fields: Fields) => ({
  form: fields.text("draft-form"),
  writer: fields.text("draft-writer"),
});

/**
 * Whether the text in a form was typed by another person, who was signed in before this person. Without a script, this
 * is always false.
 */
export function isOfAnother(fields: Fields, email: string): boolean {
  const person = fields.text("draft-person");
  return person !== "" && person !== versionOf(email);
}

/**
 * Returns the cookie that informs the script that the server has done the action of a form. Only then does the script
 * delete the draft. `once` is the unique value of the form. `sent` has the fields whose text was used; undefined for
 * all fields.
 */
function doneCookie(
  once: string,
  sent: readonly string[] | undefined,
  { consoleUrl }: { readonly consoleUrl: string },
): string {
  const secure = consoleUrl.startsWith("https:") ? "; Secure" : "";
  const value = sent === undefined ? "all" : encodeURIComponent(sent.join(" "));
  return `innkeep-done-${once}=${value}; Path=/; Max-Age=${seconds}; SameSite=Strict${secure}`;
}

/** The lifetime of the cookie. It is long enough for a slow connection to open the next page. */
const seconds = 120;
