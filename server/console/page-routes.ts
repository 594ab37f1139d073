import { definitions as account } from "../access/accounts/page.tsx";
import { definitions as apps } from "../access/apps/page.tsx";
import { definitions as audit } from "../access/audit/page.tsx";
import { definitions as devices } from "../access/devices/page.tsx";
import { definitions as members } from "../access/members/page.tsx";
import { definitions as signOut } from "../access/sign-in/page/console.tsx";
import { definitions as signInMethods } from "../access/sign-in-methods/page.tsx";
import { definitions as tokens } from "../access/tokens/page.tsx";
import { definitions as entry } from "../content/changelog/page/entry.tsx";
import { definitions as changelog } from "../content/changelog/page/list.tsx";
import { definitions as faqs } from "../content/faqs/page.tsx";
import { definitions as people } from "../erasure/page.tsx";
import { definitions as blocked } from "../feedback/blocked-senders/page.tsx";
import { definitions as home } from "../feedback/home/page.tsx";
import { definitions as inbox } from "../feedback/inbox/page.tsx";
import { definitions as savedReplies } from "../feedback/saved-replies/page.tsx";
import { definitions as tags } from "../feedback/tags/page.tsx";
import { definitions as thread } from "../feedback/threads/page/forms.ts";
import { definitions as automaticMails } from "../mail/incoming/page.tsx";
import { definitions as cycle } from "../testing/cycles/page/cycle.tsx";
import { definitions as cycleReport } from "../testing/cycles/page/report.tsx";
import { definitions as listings } from "../testing/listings/page/list.tsx";
import { definitions as listing } from "../testing/listings/page/listing.tsx";
import { definitions as data } from "../transfer/page.tsx";
import {
  type Definitions,
  type Form,
  isForm,
  isPage,
  isUploadForm,
  type Page,
  type UploadForm,
} from "./definitions.ts";
import { definitions as drafts } from "./drafts/page.tsx";
import { noticesOf } from "./notices.ts";

/** The pages and forms of the console for people who are signed in. */
const definitions: Definitions = [
  ...home,
  ...[...inbox, ...thread, ...tags, ...savedReplies, ...blocked, ...automaticMails],
  ...[...faqs, ...changelog, ...entry],
  ...[...listings, ...listing, ...cycle, ...cycleReport],
  ...[...members, ...apps, ...data],
  ...[...tokens, ...signInMethods, ...account, ...people, ...devices, ...audit, ...drafts, ...signOut],
];

export const pages: readonly Page[] = definitions.filter(isPage);
export const uploadForms: readonly UploadForm[] = definitions.filter(isUploadForm);
export const forms: readonly Form[] = definitions.filter(isForm);

/** What the forms say when they were done, and when they were not. */
export const notices = noticesOf([...forms, ...uploadForms]);
