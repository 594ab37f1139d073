import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Links } from "./links.ts";
import type { NotDone } from "./notices.ts";
import type { PageHandler, PageNeeds, SignedInVisit, UploadVisit } from "./visit.ts";

interface Place {
  /** The address. With `:name` in place of an id, it is the pattern of a route. */
  readonly at: (links: Links) => string;
}

/** A page of the console for people who are signed in. */
export interface Page extends Place {
  /** What `appNavigationOf` asks of the person who opens the page. */
  readonly needs: PageNeeds;
  readonly show: PageHandler<SignedInVisit>;
}

/**
 * A form of the console. It names no role: its endpoint does, and decides for the API and the console alike. `NotDone` is
 * said when the form was not done, for example because the session had ended.
 */
interface FormOf<Done extends string, V extends SignedInVisit> extends Place, NotDone {
  /** The page that has the form and shows it again after a refusal; "any" for a form that stands on every page. */
  readonly page: Page | "any";
  readonly act: PageHandler<V, Done>;
  /**
   * What the next page says, by the word in its address. Null if that page has its own sentence for the word. Empty for a
   * form that answers with the page itself.
   */
  readonly done: Readonly<Record<NoInfer<Done>, string | null>>;
}

export type Form = FormOf<string, SignedInVisit>;

/** A form with files, which are on the disk while it is answered. */
export interface UploadForm extends FormOf<string, UploadVisit> {
  /** The endpoint with the rules of the body. */
  readonly body: Endpoint;
}

type Definition = Page | Form | UploadForm;

/** The pages and forms of one file. */
export type Definitions = readonly Definition[];

export const isPage = (one: Definition): one is Page => "show" in one;
export const isUploadForm = (one: Definition): one is UploadForm => "body" in one;
export const isForm = (one: Definition): one is Form => !isPage(one) && !isUploadForm(one);

export const definePage = (page: Page): Page => page;

/** A word in the address without a sentence, and a form that does not say what was not done, are errors of type. */
export const defineForm = <Done extends string>(form: FormOf<Done, SignedInVisit>): Form => form;

export const defineUploadForm = <Done extends string>(
  form: FormOf<Done, UploadVisit> & Pick<UploadForm, "body">,
): UploadForm => form;

/** What a form needs to show its page again. */
export const neededFor = ({ page }: Form | UploadForm): PageNeeds =>
  page === "any" ? "account" : page.needs;
