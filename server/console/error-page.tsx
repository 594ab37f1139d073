import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { AnswerWithPage } from "../http/errors.ts";
import { pathOf, type SharedSteps } from "../http/pipeline.ts";
import type { Settings } from "../settings/settings.ts";
import { draftFieldOf } from "./drafts/fields.ts";
import { type Fields, fieldVersion, noFields, originalVersionName } from "./forms.tsx";
import { BarePage } from "./layout.tsx";
import { type ConsolePath, consolePathOf, createLinks, type Links, pageOfForm, returnPath } from "./links.ts";
import type { NotDone } from "./notices.ts";
import { refusalInWords } from "./parts.tsx";
import { acceptsHtml, createRespond, goTo, type Reply, show } from "./respond.tsx";

/** Returns the reply to a browser whose request failed: an error page or a redirect. */
export type ShowError = (ctx: Context, error: ApiError, links: Links) => Reply;

interface PageDeps {
  readonly settings: Pick<Settings, "baseUrl" | "consoleUrl">;
  readonly steps: Pick<SharedSteps, "holdAnswer">;
}

/**
 * Creates the function that answers failed requests. Browsers get the result of `show`, other clients get the error as
 * JSON.
 */
export function answerWithErrorPage({ settings, steps }: PageDeps, show: ShowError): AnswerWithPage {
  const links = createLinks(consolePathOf(settings).href);
  const respond = createRespond(settings, steps);
  return async (ctx, error) => {
    if (!acceptsHtml(ctx)) return false;
    await respond(ctx, show(ctx, error, links));
    return true;
  };
}

/**
 * Creates the function that answers failed requests below the path of the console. Browsers get an error page; without
 * a console session, they get the sign-in page. Other clients get JSON.
 */
export function createErrorPages({ settings, steps }: PageDeps): AnswerWithPage {
  const consolePath = consolePathOf(settings);
  const { mountedAt } = consolePath;
  const isPage = (path: string) =>
    path === mountedAt || (path.startsWith(`${mountedAt}/`) && !/^\/(api|uploads)\//.test(path));

  const answer = answerWithErrorPage({ settings, steps }, (ctx, error, links) =>
    error.code === "sign_in_required"
      ? goTo(`${links.signIn}?${new URLSearchParams({ to: wantedPage(ctx, consolePath) })}`)
      : showErrorPage(links, asSeen(ctx, error), {
          requestId: String(ctx.state.requestId),
          typed: unsavedTextsIn(formOf(ctx.req)),
          form: notDoneOf(ctx.req),
          from: ctx.method === "POST" ? returnPath(pageOfForm(ctx), settings.consoleUrl, "") : "",
        }),
  );
  return async (ctx, error) => isPage(pathOf(ctx) ?? "") && answer(ctx, error);
}

/**
 * Returns the error to show. If a GET request is invalid, an id or a cursor in its address is wrong, so the page does
 * not exist. But if a filter in the query is wrong, the error is shown with the name of the filter, because a person may
 * have typed the filter.
 */
function asSeen(ctx: Context, error: ApiError): ApiError {
  if (ctx.method !== "GET" || error.code !== "bad_request") return error;
  return isOfFilter(ctx, error)
    ? new ApiError(error.code, { ...error.details, message: error.message }, { cause: error })
    : new ApiError("not_found", {}, { cause: error });
}

function isOfFilter({ querystring }: Context, { details }: ApiError): boolean {
  const query = new URLSearchParams(querystring);
  query.delete("cursor");
  return details.issues?.some(({ path }) => query.has(path)) ?? false;
}

/** Returns the page to open after the sign-in: the requested page, or the page whose form was sent. */
const wantedPage = (ctx: Context, { href, mountedAt }: ConsolePath): string =>
  ctx.method === "GET" ? href + (ctx.req.url ?? "").slice(mountedAt.length) : pageOfForm(ctx);

/** The data that the error page shows about a failed request. */
interface FailedRequest {
  readonly requestId: string;
  /** The unsaved texts in the form of the request. */
  readonly typed: readonly UnsavedText[];
  /** The notice about a form that was not done. Set if the request sent a form of the console. */
  readonly form?: NotDone | undefined;
  /** The page of the form; empty if it is unknown. */
  readonly from?: string;
}

/** Returns the error page as a reply with the status of the error. */
export const showErrorPage = (
  links: Links,
  error: ApiError,
  { requestId, typed, form, from = "" }: FailedRequest,
): Reply => {
  const { title, text } = wordsOf(error);
  return show(
    <BarePage links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        <p>
          {/* After an internal error, the action of the form may still have been done. */}
          {form && error.status !== 500 && <b>{form.notDone} </b>}
          {text}
        </p>
        {error.status === 500 && (
          <p class="muted small">
            Request <code>{requestId}</code>
          </p>
        )}
        {typed.length > 0 && <TypedText typed={typed} />}
        <div class="actions">
          {from !== "" && (
            <a class="button" href={from}>
              Back to the page
            </a>
          )}
          <a class="button" href={links.home}>
            Go to the console
          </a>
        </div>
      </div>
    </BarePage>,
    error.status,
  );
};

/** Shows the typed text, so that the person can copy it. */
const TypedText = ({ typed }: Pick<FailedRequest, "typed">) => (
  <section class="stack" aria-labelledby="typed">
    <h2 id="typed">Your typed text</h2>
    <p class="muted small">It was not saved. Copy it before you leave this page.</p>
    {typed.map(({ label, text }) => (
      <label class="field" key={`${label} ${text}`}>
        <span>{label}</span>
        <textarea class="short" readOnly>
          {`\n${text}`}
        </textarea>
      </label>
    ))}
  </section>
);

function wordsOf(error: ApiError) {
  switch (error.code) {
    case "not_found":
      return {
        title: "Nothing here",
        text: "The address is wrong, the page was deleted, or it belongs to another account.",
      };
    case "method_not_allowed":
      return { title: "Not a page", text: "This address only receives forms. There is no page here." };
    case "forbidden":
      return { title: "Not allowed", text: error.message };
    case "busy":
      return { title: "One moment", text: error.message };
    case "internal":
      return {
        title: "Something went wrong",
        text: "The server had an error. If you report it, include the request id below.",
      };
    default:
      return {
        title: "This did not work",
        text: refusalInWords(error, (field) => draftFieldOf(field)?.label),
      };
  }
}

/** A text that was typed in a form, and the label of its field. */
interface UnsavedText {
  readonly label: string;
  readonly text: string;
}

/**
 * Returns the texts of a form that the person changed. Passwords and secrets are never returned. (rule O18)
 */
const unsavedTextsIn = (fields: Fields): UnsavedText[] =>
  fields.entries().flatMap(([name, text]) => {
    const label = draftFieldOf(name)?.label;
    if (label === undefined || text.trim() === "") return [];
    return fields.text(originalVersionName(name)) === fieldVersion(text) ? [] : [{ label, text }];
  });

const sent = new WeakMap<object, Fields>();

/** Stores the fields of a request's form, for the error page of this request. */
export const storeForm = (request: object, fields: Fields): void => void sent.set(request, fields);

/** Returns the stored fields of a request's form; no fields if the form was not read. */
const formOf = (request: object): Fields => sent.get(request) ?? noFields;

const notDone = new WeakMap<object, NotDone>();

/** Stores the notice for a form that was not done. The error page of the request shows it. */
export const storeNotDone = (request: object, form: NotDone): void => void notDone.set(request, form);

/** Returns the stored notice of a request's form; undefined if it is not a form of the console. */
const notDoneOf = (request: object): NotDone | undefined => notDone.get(request);
