import type { Context } from "koa";
import type { App } from "../../../src/contract/apps.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { nameAndAddress } from "../../../src/words/thread.ts";
import type { Route } from "../../http/pipeline.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../definitions.ts";
import {
  draftFieldOf,
  everyone,
  type Fields,
  type FormObject,
  IdempotencyField,
  type ObjectKind,
  unchosen,
  versionOf,
} from "../forms.tsx";
import { ConsolePage, navigationOf } from "../layout.tsx";
import { type Links, returnPath } from "../links.ts";
import { Empty, Line } from "../parts.tsx";
import { goTo, InTurns, type Reply, show } from "../respond.tsx";
import { Ago } from "../times.tsx";
import type { Draft, NamedObject, NamedSender, TypedField } from "./api.ts";

/** Shows all unsent texts of a person, even from pages that no longer exist. (rule O17) */
async function showDrafts(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const found = await visit.drafts.list();
  const objects = found.flatMap(({ form }) => objectOfForm(form, visit.links) ?? []);
  const names = await visit.drafts.named(objects);
  const senders = await visit.drafts.senders(
    found.flatMap((draft) => reportOf(draft, visit.links)?.toLowerCase() ?? []),
  );
  return show(
    <ConsolePage navigation={navigation} title="Unsent text" narrow>
      <div class="head">
        <div>
          <h1>Unsent text</h1>
          <p>
            This page shows texts that you typed into forms of the console but did not send. Only you can read
            them. A text is deleted when you send or discard it, or 30 days after you last typed in it.
          </p>
        </div>
      </div>
      {found.length === 0 ? (
        <Empty title="No unsent text">
          <p>The console stores your text while you type, and shows it here until you send it.</p>
        </Empty>
      ) : (
        <ul class="list">
          <InTurns>
            {found.map((draft) => (
              <DraftLine
                key={draft.id}
                draft={draft}
                names={names}
                senders={senders}
                apps={navigation.apps}
                visit={visit}
              />
            ))}
          </InTurns>
        </ul>
      )}
    </ConsolePage>,
  );
}

type Names = ReadonlyMap<string, NamedObject>;

type Senders = ReadonlyMap<string, NamedSender>;

/** Returns the id of the report whose sender is the chosen receiver; undefined if there is none. */
function reportOf({ form, choice }: Draft, links: Links): string | undefined {
  if (choice === null || choice === everyone || choice === unchosen) return undefined;
  return choice === "" ? objectOfForm(form, links)?.id : choice;
}

/** Returns the receiver that was chosen for a reply; undefined if none was chosen. */
function receiverText(draft: Draft, senders: Senders, links: Links): string | undefined {
  if (draft.choice === everyone) return "everyone who reported it";
  const reportId = reportOf(draft, links)?.toLowerCase();
  if (reportId === undefined) return undefined;
  const sender = senders.get(reportId);
  return sender === undefined ? "a sender whose report is no longer there" : nameAndAddress(sender);
}

/** The texts for objects that the person cannot open any more. */
const goneTexts: Readonly<Record<ObjectKind, string>> = {
  thread: "A thread that you can no longer open",
  faq: "An FAQ entry that you can no longer open",
  note: "A release note that you can no longer open",
  cycle: "A test that you can no longer open",
  listing: "A listing that you can no longer open",
};

const kindNames: Readonly<Record<ObjectKind, string>> = {
  thread: "Thread",
  faq: "FAQ entry",
  note: "Release note",
  cycle: "Test of",
  listing: "Listing of",
};

/** Shows a link to the draft's page, or to the thread into which the draft's thread was merged. */
const Belonging = ({
  of,
  names,
  href,
  links,
}: {
  readonly of: FormObject;
  readonly names: Names;
  readonly href: string;
  readonly links: SignedInVisit["links"];
}) => {
  const named = names.get(of.id);
  if (!named) return <span class="muted">{goneTexts[of.kind]}</span>;
  if (named.intoId !== null)
    return (
      <span>
        #{named.number}, merged into{" "}
        <a href={links.thread(of.appId, named.intoId)}>
          #{named.intoNumber} <Line text={named.name} />
        </a>
      </span>
    );
  return (
    <a href={href}>
      {named.number === null ? kindNames[of.kind] : `#${named.number}`} <Line text={named.name} />
    </a>
  );
};

/** Returns the name of a form that belongs to no object. Adds the name of the app, if any. */
function placeText(
  form: string,
  { links, apps }: { readonly links: Links; readonly apps: readonly App[] },
): string {
  const place = placeOfForm(form, links);
  if (place === undefined) return "Open its page";
  const app = apps.find(({ id }) => id === place.appId);
  return app === undefined ? place.name : `${place.name} of ${app.name}`;
}

/** The form of a draft that belongs to no object. */
interface FormPlace {
  readonly name: string;
  /** The id of the app to which the form belongs; undefined if it belongs to no app. */
  readonly appId: string | undefined;
}

/** The names of forms, by the beginnings of their addresses. */
const formNames = (links: Links): readonly (readonly [at: string, name: string])[] => [
  [links.faqs(""), "New FAQ entry"],
  [links.changelog(""), "New release note"],
  [links.savedReplies(""), "Saved reply"],
  [links.tags(""), "Tag"],
  [links.views(""), "View"],
  [links.inbox(""), "Inbox"],
  [links.blocked(""), "Blocked senders"],
  [links.testing(""), "Testing"],
  [links.members(""), "Members"],
  [links.invitation(""), "Invitation"],
  [links.app(""), "Settings and keys"],
  [links.data(""), "Data and export"],
  [links.webhooks(""), "Webhook"],
  [links.newApp, "New app"],
  [links.newStart, "First steps"],
  [links.importApp, "Import of an app"],
  [links.tokens, "Token"],
  [links.signInMethods, "Sign-in methods"],
  [links.signIn, "Sign-in"],
  [links.noticesOf(""), "Notices"],
  [links.account, "Your account"],
  [links.devices, "Devices"],
  [links.people, "Erase a person"],
];

/** Returns the name and app of a form without an object. Undefined for an unknown address. */
export function placeOfForm(form: string, links: Links): FormPlace | undefined {
  const found = formNames(links).find(([at]) => form.startsWith(at));
  if (found === undefined) return undefined;
  const [at, name] = found;
  const [, appId] = new RegExp(`^/?(${anyId})(?:[/?]|$)`, "i").exec(form.slice(at.length)) ?? [];
  return { name, appId: appId?.toLowerCase() };
}

const anyId = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Returns the object to which the form with this address belongs; undefined if the form belongs to no object. */
export function objectOfForm(form: string, links: Links): FormObject | undefined {
  const places: readonly (readonly [ObjectKind, (appId: string, id: string) => string])[] = [
    ["thread", links.thread],
    ["faq", links.faq],
    ["note", links.entry],
    ["cycle", links.cycle],
    ["listing", links.listing],
  ];
  for (const [, appId = "", objectId = ""] of form.matchAll(idsOfObject)) {
    const place = places.find(([, at]) => form.startsWith(at(appId, objectId)));
    if (place !== undefined) return { kind: place[0], appId, id: objectId.toLowerCase() };
  }
  return undefined;
}

const idsOfObject = new RegExp(`/(${anyId})/(${anyId})(?=[/?]|$)`, "gi");

const DraftLine = ({
  draft,
  names,
  senders,
  apps,
  visit: { links, now, settings },
}: {
  readonly draft: Draft;
  readonly names: Names;
  readonly senders: Senders;
  /** The apps of the person. */
  readonly apps: readonly App[];
  readonly visit: Pick<SignedInVisit, "links" | "now" | "settings">;
}) => {
  const label = draftFieldOf(draft.field)?.label ?? "Text";
  const href = returnPath(draft.page, settings.consoleUrl, links.home);
  const of = objectOfForm(draft.form, links);
  const receiver = receiverText(draft, senders, links);
  return (
    <li>
      <div class="row spread">
        <b>{label}</b>
        {of ? (
          <Belonging of={of} names={names} href={href} links={links} />
        ) : (
          <a href={href}>
            <Line text={placeText(draft.form, { links, apps })} />
          </a>
        )}
      </div>
      <p class="under">
        {receiver !== undefined && <Line text={`to ${receiver}`} />}
        <span>
          typed <Ago at={draft.updatedAt} now={now} />
        </span>
        {draft.browser !== null && <Line text={draft.browser} />}
      </p>
      <textarea class="short" readOnly aria-label={label}>
        {`\n${draft.text}`}
      </textarea>
      <form method="post" action={links.discardDraft}>
        <input type="hidden" name="draft" value={draft.id} />
        <IdempotencyField />
        <button class="small" type="submit">
          Discard
        </button>
      </form>
    </li>
  );
};

/** Discards a draft. If the draft no longer exists, this is not an error. */
async function discardDraft({ drafts, fields, links }: SignedInVisit): Promise<Reply<"draft-discarded">> {
  await drafts.remove(fields.text("draft"));
  return goTo(links.drafts, "draft-discarded");
}

const draftsPage = definePage({
  at: (links) => links.drafts,
  needs: "account",
  show: showDrafts,
});

export const definitions: Definitions = [
  draftsPage,
  defineForm({
    at: (links) => links.discardDraft,
    page: draftsPage,
    act: discardDraft,
    done: { "draft-discarded": "The text is discarded." },
    word: "discardDraft",
    notDone: "The text was not discarded.",
  }),
];

type VisitOf = (ctx: Context, params: Readonly<Record<string, string>>) => Promise<SignedInVisit>;

/** The limits of one request: forms to read, fields to save, and writers (opened pages) to replace. */
const most = { forms: 50, fields: 500, replaced: 50 };

const longestPath = 1_000;

/** Returns the two routes with which a script reads and saves drafts. Both routes answer with JSON. (rule O17) */
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
        .map((field, at) => ({
          ...{ field, text: texts[at] ?? "", was: (versions[at] ?? "").slice(0, 64) },
          choice: choiceIn(fields, field),
        }))
        .filter(({ field, text }) => [...text].length <= (draftFieldOf(field)?.most ?? -1));
      const replaces = fields.all("replaces").filter(isWriter).slice(0, most.replaced);
      const result = await drafts.save({ page, form, writer, fields: typed, replaces });
      if (thread !== "") await (typed.some(isAnswer) ? answering.note(thread) : answering.end(thread));
      answerJson(ctx, {
        kept: result === "saved" ? typed.map(({ field }) => field) : [],
        ended: result !== "saved",
        ...(result === "taken" ? { taken: true } : {}),
      });
    },
  },
];

/** Whether a field has text and is for an answer in a thread. */
const isAnswer = ({ field, text }: TypedField): boolean =>
  text.trim() !== "" && draftFieldOf(field)?.answers === true;

const isPath = (text: string): boolean => text.startsWith("/") && text.length <= longestPath;

const isThread = (text: string): boolean => /^[\w-]{0,64}$/.test(text);

const isWriter = (text: string): boolean => /^\w{8,64}$/.test(text);

/** Returns the choice of a person for a text field, such as the receiver of a reply; otherwise null. */
function choiceIn(fields: Fields, field: string): string | null {
  const name = `choice-${field}`;
  const isKept = draftFieldOf(field)?.choice !== undefined && fields.has(name);
  return isKept ? fields.text(name).slice(0, 64) : null;
}

const shownDraft = ({ page, form, field, writer, text, was, choice, browser, updatedAt }: Draft) => ({
  ...{ page, form, field, writer, text, was, choice, browser, updatedAt },
  label: draftFieldOf(field)?.label ?? "",
});

function answerJson(ctx: Context, body: object): void {
  ctx.set("Cache-Control", "no-store");
  ctx.body = body;
}

/**
 * Removes the drafts of an accepted form. A cookie tells the browser's script to remove its drafts too.
 * Returns `reply`. (rule O17)
 */
export async function noteDone<R extends Reply<string>>(
  ctx: Context,
  { fields, drafts, settings }: Pick<SignedInVisit, "fields" | "drafts" | "settings">,
  reply: R,
): Promise<R> {
  const { form, writer, replaces } = sentDraftOf(fields);
  if (form === "" || ("status" in reply && reply.status >= 400)) return reply;
  const { sentFields } = reply;
  const sent = fields.entries().filter(([name]) => sentFields?.includes(name) ?? true);
  // An error is ignored. Then the page offers the text again, so no text is lost.
  await drafts.removeSent({ form, writer, replaces, sent: new Map(sent) }).catch(() => undefined);
  const once = fields.idempotencyKey;
  if (once !== undefined) ctx.append("Set-Cookie", doneCookie(once, sentFields, settings));
  return reply;
}

/** Returns the values that a script adds to a sent form. A writer is one opened page of a browser. */
const sentDraftOf = (fields: Fields) => ({
  form: fields.text("draft-form"),
  writer: fields.text("draft-writer"),
  replaces: fields.text("draft-replaces").split(" ").filter(isWriter).slice(0, most.replaced),
});

/** Whether a person other than `email` typed the text. Always false if the browser runs no scripts. */
export function isOfAnother(fields: Fields, email: string): boolean {
  const person = fields.text("draft-person");
  return person !== "" && person !== versionOf(email);
}

/**
 * Returns the cookie that tells the browser's script to delete drafts. `sent` contains field names; undefined
 * means all fields.
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

/** The lifetime of the cookie in seconds, long enough to open the next page over a slow connection. */
const seconds = 120;
