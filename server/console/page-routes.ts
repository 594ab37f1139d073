import { appData } from "../../src/contract/console/data/app-data.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Links } from "./links.ts";
import { endOtherSessions, endSession } from "./pages/account/forms.ts";
import { accountPage } from "./pages/account/page.tsx";
import { createKey, regenerateKey, revokeKey } from "./pages/api-keys/forms.ts";
import { createApp, deleteApp, updateApp } from "./pages/apps/forms.ts";
import { newAppPage } from "./pages/apps/new-app-page.tsx";
import { appPage } from "./pages/apps/page.tsx";
import { auditPage } from "./pages/audit/page.tsx";
import { entryPage, newEntryPage } from "./pages/changelog/changelog-entry-page.tsx";
import { createEntry, deleteEntry, updateEntry } from "./pages/changelog/forms.ts";
import { changelogPage } from "./pages/changelog/page.tsx";
import { cycleReportPage } from "./pages/cycles/cycle-report-page.tsx";
import { cancelCycle } from "./pages/cycles/forms.ts";
import { cyclePage } from "./pages/cycles/page.tsx";
import {
  acceptRequest,
  assignSlot,
  confirmJoin,
  declineRequest,
  removeTester,
  rotateKey,
} from "./pages/cycles/slot-forms.ts";
import { importApp } from "./pages/data/forms.ts";
import { dataPage, importPage } from "./pages/data/page.tsx";
import { signDeviceOut } from "./pages/devices/forms.ts";
import { devicesPage } from "./pages/devices/page.tsx";
import { faqPage, newFaqPage } from "./pages/faqs/faq-page.tsx";
import { createFaq, deleteFaq, orderFaqs, updateFaq } from "./pages/faqs/forms.ts";
import { faqsPage } from "./pages/faqs/page.tsx";
import { hideChanges, markAllRead } from "./pages/feedback/forms.ts";
import { inboxPage } from "./pages/feedback/page.tsx";
import {
  addMessage,
  decide,
  deleteThread,
  editThread,
  markUnread,
  recall,
  release,
  renewStatusLink,
} from "./pages/feedback/thread/forms.ts";
import { threadPage } from "./pages/feedback/thread/page.tsx";
import { homePage } from "./pages/home/page.tsx";
import { createCycle, createListing, updateListing } from "./pages/listings/forms.ts";
import { listingPage, newListingPage } from "./pages/listings/listing-page.tsx";
import { listingsPage } from "./pages/listings/page.tsx";
import { changeRole, invite, removeMember, withdrawInvitation } from "./pages/members/forms.ts";
import { acceptInvitation, invitationPage } from "./pages/members/invitation-page.tsx";
import { membersPage } from "./pages/members/page.tsx";
import { checkReceipt, erasePerson, findPerson } from "./pages/people/forms.ts";
import { peoplePage } from "./pages/people/page.tsx";
import { receiptPage } from "./pages/people/receipt-page.tsx";
import { changePassword } from "./pages/sign-in-methods/forms.ts";
import { signInMethodsPage } from "./pages/sign-in-methods/page.tsx";
import { beginPasskey, createPasskey, removePasskey } from "./pages/sign-in-methods/passkey-forms.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from "./pages/sign-in-methods/second-factor-forms.ts";
import { createToken, revokeToken } from "./pages/tokens/forms.ts";
import { tokensPage } from "./pages/tokens/page.tsx";
import { signOut } from "./sign-in/console-session-forms.ts";
import type { PageHandler, SignedInVisit, UploadVisit } from "./visit.ts";

export type PageRoutes = readonly (readonly [path: string, answer: PageHandler<SignedInVisit>])[];

/** The pages of the console. */
export const pages = (at: Links): PageRoutes => [
  [at.home, homePage],
  [at.inbox(":appId"), inboxPage],
  [at.thread(":appId", ":id"), threadPage],
  [at.faqs(":appId"), faqsPage],
  [at.faqs(":appId", "new"), newFaqPage],
  [at.faq(":appId", ":faqId"), faqPage],
  [at.changelog(":appId"), changelogPage],
  [at.changelog(":appId", "new"), newEntryPage],
  [at.entry(":appId", ":entryId"), entryPage],
  [at.testing(":appId"), listingsPage],
  [at.testing(":appId", "new"), newListingPage],
  [at.listing(":appId", ":listingId"), listingPage],
  [at.cycle(":appId", ":cycleId"), cyclePage],
  [at.cycle(":appId", ":cycleId", "report"), cycleReportPage],
  [at.members(":appId"), membersPage],
  [at.invitation(":token"), invitationPage],
  [at.newApp, newAppPage],
  [at.importApp, importPage],
  [at.data(":appId"), dataPage],
  [at.app(":appId"), appPage],
  [at.tokens, tokensPage],
  [at.signInMethods, signInMethodsPage],
  [at.account, accountPage],
  [at.people, peoplePage],
  [at.receipt(":erasureId"), receiptPage],
  [at.devices, devicesPage],
  [at.audit, auditPage],
];

/** The addresses to which forms with files are sent, and the endpoints with the rules of their bodies. */
export const uploadForms = (
  at: Links,
): readonly (readonly [path: string, endpoint: Endpoint, answer: PageHandler<UploadVisit>])[] => [
  [at.importApp, appData.import, importApp],
];

const slotIds = { appId: ":appId", cycleId: ":cycleId", slotId: ":slotId" };

/** The addresses to which the console's forms are sent. */
export const forms = (at: Links): PageRoutes => [
  [at.signOut, signOut],
  ...feedbackForms(at),
  [at.faqs(":appId", "new"), createFaq],
  [at.faqs(":appId", "order"), orderFaqs],
  [at.faq(":appId", ":faqId"), updateFaq],
  [at.faq(":appId", ":faqId", "delete"), deleteFaq],
  [at.changelog(":appId", "new"), createEntry],
  [at.entry(":appId", ":entryId"), updateEntry],
  [at.entry(":appId", ":entryId", "delete"), deleteEntry],
  [at.testing(":appId", "new"), createListing],
  [at.listing(":appId", ":listingId"), updateListing],
  [at.listing(":appId", ":listingId", "cycles"), createCycle],
  [at.cycle(":appId", ":cycleId", "assign"), assignSlot],
  [at.cycle(":appId", ":cycleId", "cancel"), cancelCycle],
  [at.slot(slotIds, "accept"), acceptRequest],
  [at.slot(slotIds, "decline"), declineRequest],
  [at.slot(slotIds, "remove"), removeTester],
  [at.slot(slotIds, "rotate-key"), rotateKey],
  [at.slot(slotIds, "confirm-join"), confirmJoin],
  [at.members(":appId", "invitations"), invite],
  [at.members(":appId", "invitations/:invitationId/withdraw"), withdrawInvitation],
  [at.member(":appId", ":userId", "role"), changeRole],
  [at.member(":appId", ":userId", "remove"), removeMember],
  [at.invitation(":token", "accept"), acceptInvitation],
  [at.newApp, createApp],
  [at.app(":appId"), updateApp],
  [at.app(":appId", "delete"), deleteApp],
  [at.app(":appId", "keys"), createKey],
  [at.key(":appId", ":keyId", "regenerate"), regenerateKey],
  [at.key(":appId", ":keyId", "revoke"), revokeKey],
  ...formsOfAccount(at),
];

/** What a person does with the own account, and outside of a single app. */
const formsOfAccount = (at: Links): PageRoutes => [
  [at.tokens, createToken],
  [at.token(":tokenId", "revoke"), revokeToken],
  [at.findPerson, findPerson],
  [at.erasePerson, erasePerson],
  [at.checkReceipt(":erasureId"), checkReceipt],
  [at.device(":deviceId", "sign-out"), signDeviceOut],
  [at.endSession(":sessionId"), endSession],
  [at.endOtherSessions, endOtherSessions],
  [at.password, changePassword],
  [at.beginSecondFactor, beginSecondFactor],
  [at.confirmSecondFactor, confirmSecondFactor],
  [at.renewRecoveryCodes, renewRecoveryCodes],
  [at.removeSecondFactor, removeSecondFactor],
  [at.beginPasskey, beginPasskey],
  [at.passkeys, createPasskey],
  [at.removePasskey(":passkeyId"), removePasskey],
];

const feedbackForms = (at: Links): PageRoutes => [
  [at.inbox(":appId", "read"), markAllRead],
  [at.inbox(":appId", "hide-changes"), hideChanges],
  [at.thread(":appId", ":id", "unread"), markUnread],
  [at.thread(":appId", ":id", "decision"), decide],
  [at.thread(":appId", ":id", "recall"), recall],
  [at.thread(":appId", ":id", "release"), release],
  [at.thread(":appId", ":id", "messages"), addMessage],
  [at.thread(":appId", ":id", "edit"), editThread],
  [at.thread(":appId", ":id", "status-link"), renewStatusLink],
  [at.thread(":appId", ":id", "delete"), deleteThread],
];
