import type { Endpoint, Role } from "../../src/contract/endpoint.ts";
import type { PageAnswering, PageViews } from "../feedback/threads/presence.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import type { Settings } from "../settings/settings.ts";
import type { PageDrafts } from "./drafts/api.ts";
import type { Fields } from "./forms.tsx";
import type { Links } from "./links.ts";
import type { NotDone, Notices } from "./notices.ts";
import type { Ask, InvitedRead, MailedInvitationRead, PageReads } from "./page-reads.ts";
import type { Reply } from "./respond.tsx";

interface WithAddress {
  /** Returns the path of the route. Each id in it is a parameter, such as `:appId`. */
  readonly at: (links: Links) => string;
}

/** A page of the console for people who are signed in. */
export interface Page extends WithAddress {
  /** The role that a person needs to open the page. For a page of an app, `appNavigationOf` checks the role. */
  readonly needs: PageNeeds;
  readonly show: PageHandler<SignedInVisit>;
}

/**
 * A form of the console. The form defines no role, because the API endpoint that it calls checks the role. If the
 * action of the form was not done, for example because the session had ended, the next page shows the text `notDone`.
 */
interface FormOf<Done extends string, V extends SignedInVisit> extends WithAddress, NotDone {
  /**
   * The page that has the form. After a refusal, this page shows the form again. The value is "any" if every page has
   * the form.
   */
  readonly page: Page | "any";
  readonly act: PageHandler<V, Done>;
  readonly done: DoneNotices<Done>;
}

/**
 * The notices of a form. A form puts a word for its result into the address of the next page, and that page
 * shows the notice for the word. A notice is null if the page writes its own text. There are no notices if the
 * form never redirects to another page.
 */
type DoneNotices<Done extends string> = Readonly<Record<NoInfer<Done>, string | null>>;

export type Form = FormOf<string, SignedInVisit>;

/** A form that uploads files. The server keeps the files on the disk until the form is answered. */
export interface UploadForm extends FormOf<string, UploadVisit> {
  /** The endpoint that defines the fields and limits of the body. */
  readonly body: Endpoint;
}

/** A page that a person can open without a sign-in, such as the sign-in page. */
export interface OpenPage extends WithAddress {
  readonly isOpen: true;
  readonly show: PageHandler<Visit>;
}

/** A form that a person can send without a sign-in. */
export interface OpenForm extends OpenFormOf<string> {
  readonly isOpen: true;
}

interface OpenFormOf<Done extends string> extends WithAddress {
  readonly act: PageHandler<Visit, Done>;
  readonly done: DoneNotices<Done>;
}

type Definition = Page | Form | UploadForm | OpenPage | OpenForm;

/** The pages and forms that one source file defines. */
export type Definitions = readonly Definition[];

export const isPage = (one: Definition): one is Page => "show" in one && !("isOpen" in one);

export const isUploadForm = (one: Definition): one is UploadForm => "body" in one;

export const isForm = (one: Definition): one is Form => "notDone" in one && !isUploadForm(one);

export const isOpenPage = (one: Definition): one is OpenPage => "show" in one && "isOpen" in one;

export const isOpenForm = (one: Definition): one is OpenForm => "act" in one && "isOpen" in one;

export const definePage = (page: Page): Page => page;

/**
 * Defines a form. The code compiles only if `done` has a notice for each result of `act`, and if `notDone` is given.
 */
export const defineForm = <Done extends string>(form: FormOf<Done, SignedInVisit>): Form => form;

export const defineUploadForm = <Done extends string>(
  form: FormOf<Done, UploadVisit> & Pick<UploadForm, "body">,
): UploadForm => form;

export const defineOpenPage = (page: Omit<OpenPage, "isOpen">): OpenPage => ({ ...page, isOpen: true });

export const defineOpenForm = <Done extends string>(form: OpenFormOf<Done>): OpenForm => ({
  ...form,
  isOpen: true,
});

/** Returns who can open the page that has a form. */
export const neededFor = ({ page }: Form | UploadForm): PageNeeds =>
  page === "any" ? "account" : page.needs;

/** A request to a page or a form of the console. */
export interface Visit {
  readonly settings: Settings;
  readonly links: Links;
  readonly notices: Notices;
  readonly now: Date;
  /** Returns the value of a parameter in the path. */
  param(name: string): string;
  /** Returns the value of a parameter in the query; empty if it is missing. */
  query(name: string): string;
  readonly fields: Fields;
  readonly ask: Ask;
  /**
   * Returns the invitation that belongs to a secret link. Returns undefined if the invitation cannot be used.
   */
  readonly invited: InvitedRead;
  /**
   * Returns the invitation whose page opens after the person has used a mailed link of an account; undefined if there
   * is none, or if the link cannot be used.
   */
  readonly mailedInvitation: MailedInvitationRead;
}

/**
 * The lowest role in the app with which a person can open a page; "account" for a page outside of an app. This check
 * only hides pages that are useless for people with a lower role. The API endpoints check what a person may read and
 * do.
 */
export type PageNeeds = Role | "account";

/** A request of a signed-in person. */
export interface SignedInVisit extends Visit {
  /** The `needs` of the page. For a form, these are the `needs` of the form's page. */
  readonly needs: PageNeeds;
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly views: PageViews;
  /**
   * Whether a script or the browser requests the page in the background. Such a request does not mean that a person
   * reads the page.
   */
  readonly isLive: boolean;
  readonly drafts: PageDrafts;
  readonly answering: PageAnswering;
}

/** A request of a signed-in person that sends a form with files. */
export interface UploadVisit extends SignedInVisit {
  /** The body of the form. The files of the form are on the disk. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Answers a request to a page or form. `Done` contains the words for the results of the form. The address of
 * the next page contains one of them.
 */
export type PageHandler<V extends Visit, Done extends string = never> = (visit: V) => Promise<Reply<Done>>;
