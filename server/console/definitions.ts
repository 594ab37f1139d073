import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Links } from "./links.ts";
import type { NotDone } from "./notices.ts";
import type { PageHandler, PageNeeds, SignedInVisit, UploadVisit, Visit } from "./visit.ts";

interface WithAddress {
  /** The address. With `:name` in place of an id, it is the pattern of a route. */
  readonly at: (links: Links) => string;
}

/** A page of the console for people who are signed in. */
export interface Page extends WithAddress {
  /** `appNavigationOf` checks it for a page of an app. */
  readonly needs: PageNeeds;
  readonly show: PageHandler<SignedInVisit>;
}

/**
 * A form of the console. It names no role: the role of its endpoint decides, as in the API. The page shows `notDone` if the
 * form was not done, for example because the session had ended.
 */
interface FormOf<Done extends string, V extends SignedInVisit> extends WithAddress, NotDone {
  /** The page that has the form and shows it again after a refusal; "any" if every page has the form. */
  readonly page: Page | "any";
  readonly act: PageHandler<V, Done>;
  readonly done: DoneNotices<Done>;
}

/**
 * The notice of the next page for each word that a form puts into its address. Null if that page writes its own notice. Empty
 * if the form answers with a page.
 */
type DoneNotices<Done extends string> = Readonly<Record<NoInfer<Done>, string | null>>;

export type Form = FormOf<string, SignedInVisit>;

/** A form with files. They are on the disk while the form is answered. */
export interface UploadForm extends FormOf<string, UploadVisit> {
  /** The endpoint with the rules of the body. */
  readonly body: Endpoint;
}

/** A page for people who need not be signed in, such as the sign-in page. */
export interface OpenPage extends WithAddress {
  readonly isOpen: true;
  readonly show: PageHandler<Visit>;
}

/** A form for people who need not be signed in. */
export interface OpenForm extends OpenFormOf<string> {
  readonly isOpen: true;
}

interface OpenFormOf<Done extends string> extends WithAddress {
  readonly act: PageHandler<Visit, Done>;
  readonly done: DoneNotices<Done>;
}

type Definition = Page | Form | UploadForm | OpenPage | OpenForm;

/** The pages and forms of one file. */
export type Definitions = readonly Definition[];

export const isPage = (one: Definition): one is Page => "show" in one && !("isOpen" in one);
export const isUploadForm = (one: Definition): one is UploadForm => "body" in one;
export const isForm = (one: Definition): one is Form => "notDone" in one && !isUploadForm(one);
export const isOpenPage = (one: Definition): one is OpenPage => "show" in one && "isOpen" in one;
export const isOpenForm = (one: Definition): one is OpenForm => "act" in one && "isOpen" in one;

export const definePage = (page: Page): Page => page;

/** A word without a notice, and a form without `notDone`, do not compile. */
export const defineForm = <Done extends string>(form: FormOf<Done, SignedInVisit>): Form => form;

export const defineUploadForm = <Done extends string>(
  form: FormOf<Done, UploadVisit> & Pick<UploadForm, "body">,
): UploadForm => form;

export const defineOpenPage = (page: Omit<OpenPage, "isOpen">): OpenPage => ({ ...page, isOpen: true });

export const defineOpenForm = <Done extends string>(form: OpenFormOf<Done>): OpenForm => ({
  ...form,
  isOpen: true,
});

/** What a person needs to see the page of a form again. */
export const neededFor = ({ page }: Form | UploadForm): PageNeeds =>
  page === "any" ? "account" : page.needs;
