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
  /** Returns the path of the route. Each id in the path is a parameter, such as `:appId`. */
  readonly at: (links: Links) => string;
}

/** A page of the console for people who are signed in. */
export interface Page extends WithAddress {
  /** The role that a person needs to open the page. For a page of an app, `appNavigationOf` checks the role. */
  readonly needs: PageNeeds;
  readonly show: PageHandler<SignedInVisit>;
}

/** A form. Its API endpoint checks the role. If the action was not done, the next page shows `notDone`. */
interface FormOf<Done extends string, V extends SignedInVisit> extends WithAddress, NotDone {
  /** The page that contains the form and shows the form again after a refusal. "any" means every page. */
  readonly page: Page | "any";
  readonly act: PageHandler<V, Done>;
  readonly done: DoneNotices<Done>;
}

/** The notice for each result of a form. Null means that the next page writes its own text. */
type DoneNotices<Done extends string> = Readonly<Record<NoInfer<Done>, string | null>>;

export type Form = FormOf<string, SignedInVisit>;

/** A form that uploads files. The server keeps the files on the disk until it has answered the request. */
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

/** Defines a form. `done` must have a notice for each result of `act`, otherwise the code does not compile. */
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
   * Returns the invitation that belongs to a secret link. Returns undefined if the invitation cannot be used.
   */
  readonly mailedInvitation: MailedInvitationRead;
}

/** The lowest role for a page; "account" for a page outside of an app. The API endpoints check the access. */
export type PageNeeds = Role | "account";

/** A request of a signed-in person. */
export interface SignedInVisit extends Visit {
  /** The `needs` of the page. For a form, these are the `needs` of the form's page. */
  readonly needs: PageNeeds;
  readonly caller: ConsoleCaller;
  readonly reads: PageReads;
  readonly views: PageViews;
  /** Whether a script or the browser requests the page in the background. No person reads such a page. */
  readonly isLive: boolean;
  readonly drafts: PageDrafts;
  readonly answering: PageAnswering;
}

/** A request of a signed-in person that sends a form with files. */
export interface UploadVisit extends SignedInVisit {
  /** The body of the form. The files of the form are on the disk. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request to a page or form. `Done` are the words for the possible results of a form. */
export type PageHandler<V extends Visit, Done extends string = never> = (visit: V) => Promise<Reply<Done>>;
