import { appData } from "../../src/contract/console/data/app-data.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Act } from "./acts.ts";
import type { Links } from "./links.ts";
import { deleteAccount, endOtherSessions, endSession } from "./pages/account/forms.ts";
import { accountPage } from "./pages/account/page.tsx";
import { createKey, regenerateKey, revokeKey } from "./pages/api-keys/forms.ts";
import { createApp, deleteApp, updateApp } from "./pages/apps/forms.ts";
import { newAppPage } from "./pages/apps/new-app-page.tsx";
import { appPage } from "./pages/apps/page.tsx";
import { auditPage } from "./pages/audit/page.tsx";
import { takeMail } from "./pages/automatic-mails/forms.ts";
import { automaticMailsPage } from "./pages/automatic-mails/page.tsx";
import { releaseHidden, unblockSender } from "./pages/blocked/forms.ts";
import { blockedPage } from "./pages/blocked/page.tsx";
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
import { discardDraft } from "./pages/drafts/forms.ts";
import { draftsPage } from "./pages/drafts/page.tsx";
import { faqPage, newFaqPage } from "./pages/faqs/faq-page.tsx";
import { createFaq, deleteFaq, orderFaqs, updateFaq } from "./pages/faqs/forms.ts";
import { faqsPage } from "./pages/faqs/page.tsx";
import { hideChanges, markAllRead } from "./pages/feedback/forms.ts";
import { inboxPage } from "./pages/feedback/page.tsx";
import {
  addMessage,
  assignToMe,
  blockSender,
  decide,
  deleteThread,
  editThread,
  insertSavedReply,
  markUnread,
  recall,
  release,
  removeTag,
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
import { createSavedReply, deleteSavedReply, updateSavedReply } from "./pages/saved-replies/forms.ts";
import { savedRepliesPage } from "./pages/saved-replies/page.tsx";
import { changePassword } from "./pages/sign-in-methods/forms.ts";
import { signInMethodsPage } from "./pages/sign-in-methods/page.tsx";
import { beginPasskey, createPasskey, removePasskey } from "./pages/sign-in-methods/passkey-forms.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from "./pages/sign-in-methods/second-factor-forms.ts";
import { createTag, deleteTag, mergeTag, updateTag } from "./pages/tags/forms.ts";
import { tagsPage } from "./pages/tags/page.tsx";
import { createToken, revokeToken, rotateToken } from "./pages/tokens/forms.ts";
import { tokensPage } from "./pages/tokens/page.tsx";
import { signOut } from "./sign-in/console-session-forms.ts";
import type { PageHandler, SignedInVisit, UploadVisit } from "./visit.ts";

/** The addresses of forms, how each is answered, and what a person does with it. */
export type FormRoutes = readonly (readonly [path: string, answer: PageHandler<SignedInVisit>, act: Act])[];

export type PageRoutes = readonly (readonly [path: string, answer: PageHandler<SignedInVisit>])[];

/** The pages of the console. */
export const pages = (at: Links): PageRoutes => [
  [at.home, homePage],
  [at.inbox(":appId"), inboxPage],
  [at.thread(":appId", ":id"), threadPage],
  [at.tags(":appId"), tagsPage],
  [at.savedReplies(":appId"), savedRepliesPage],
  [at.blocked(":appId"), blockedPage],
  [at.automaticMails(":appId"), automaticMailsPage],
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
  [at.drafts, draftsPage],
];

/** The addresses to which forms with files are sent, and the endpoints with the rules of their bodies. */
export const uploadForms = (
  at: Links,
): readonly (readonly [path: string, endpoint: Endpoint, answer: PageHandler<UploadVisit>, act: Act])[] => [
  [at.importApp, appData.import, importApp, "importApp"],
];

const slotIds = { appId: ":appId", cycleId: ":cycleId", slotId: ":slotId" };

/** The addresses to which the console's forms are sent. */
export const forms = (at: Links): FormRoutes => [
  ...formsOfTriage(at),
  ...formsOfFeedback(at),
  ...formsOfApps(at),
  ...formsOfAccounts(at),
];

const formsOfFeedback = (at: Links): FormRoutes => [
  [at.inbox(":appId", "read"), markAllRead, "markAllRead"],
  [at.inbox(":appId", "hide-changes"), hideChanges, "hideChanges"],
  [at.thread(":appId", ":id", "unread"), markUnread, "markUnread"],
  [at.thread(":appId", ":id", "decision"), decide, "decide"],
  [at.thread(":appId", ":id", "recall"), recall, "recall"],
  [at.thread(":appId", ":id", "release"), release, "release"],
  [at.thread(":appId", ":id", "messages"), addMessage, "addMessage"],
  [at.thread(":appId", ":id", "edit"), editThread, "change"],
  [at.thread(":appId", ":id", "status-link"), renewStatusLink, "renewLink"],
  [at.thread(":appId", ":id", "delete"), deleteThread, "deleteThread"],
];

const formsOfApps = (at: Links): FormRoutes => [
  [at.faqs(":appId", "new"), createFaq, "createFaq"],
  [at.faqs(":appId", "order"), orderFaqs, "orderFaqs"],
  [at.faq(":appId", ":faqId"), updateFaq, "change"],
  [at.faq(":appId", ":faqId", "delete"), deleteFaq, "deleteFaq"],
  [at.changelog(":appId", "new"), createEntry, "saveNote"],
  [at.entry(":appId", ":entryId"), updateEntry, "saveNote"],
  [at.entry(":appId", ":entryId", "delete"), deleteEntry, "deleteNote"],
  [at.testing(":appId", "new"), createListing, "createListing"],
  [at.listing(":appId", ":listingId"), updateListing, "change"],
  [at.listing(":appId", ":listingId", "cycles"), createCycle, "planCycle"],
  [at.cycle(":appId", ":cycleId", "assign"), assignSlot, "giveSlot"],
  [at.cycle(":appId", ":cycleId", "cancel"), cancelCycle, "cancelCycle"],
  [at.slot(slotIds, "accept"), acceptRequest, "giveSlot"],
  [at.slot(slotIds, "decline"), declineRequest, "declineRequest"],
  [at.slot(slotIds, "remove"), removeTester, "removeTester"],
  [at.slot(slotIds, "rotate-key"), rotateKey, "rotateKey"],
  [at.slot(slotIds, "confirm-join"), confirmJoin, "confirmJoin"],
  [at.members(":appId", "invitations"), invite, "invite"],
  [at.members(":appId", "invitations/:invitationId/withdraw"), withdrawInvitation, "withdrawInvitation"],
  [at.member(":appId", ":userId", "role"), changeRole, "changeRole"],
  [at.member(":appId", ":userId", "remove"), removeMember, "removeMember"],
  [at.invitation(":token", "accept"), acceptInvitation, "join"],
];

const formsOfAccounts = (at: Links): FormRoutes => [
  [at.signOut, signOut, "signOut"],
  [at.newApp, createApp, "createApp"],
  [at.app(":appId"), updateApp, "change"],
  [at.app(":appId", "delete"), deleteApp, "deleteApp"],
  [at.app(":appId", "keys"), createKey, "makeKey"],
  [at.key(":appId", ":keyId", "regenerate"), regenerateKey, "makeKey"],
  [at.key(":appId", ":keyId", "revoke"), revokeKey, "revokeKey"],
  [at.tokens, createToken, "makeToken"],
  [at.token(":tokenId", "revoke"), revokeToken, "revokeToken"],
  [at.token(":tokenId", "rotate"), rotateToken, "rotateToken"],
  [at.findPerson, findPerson, "findPerson"],
  [at.erasePerson, erasePerson, "erasePerson"],
  [at.checkReceipt(":erasureId"), checkReceipt, "checkReceipt"],
  [at.device(":deviceId", "sign-out"), signDeviceOut, "signDeviceOut"],
  [at.endSession(":sessionId"), endSession, "endSession"],
  [at.endOtherSessions, endOtherSessions, "endSession"],
  [at.deleteAccount, deleteAccount, "deleteAccount"],
  [at.password, changePassword, "changePassword"],
  [at.beginSecondFactor, beginSecondFactor, "changeSecondFactor"],
  [at.confirmSecondFactor, confirmSecondFactor, "changeSecondFactor"],
  [at.renewRecoveryCodes, renewRecoveryCodes, "changeSecondFactor"],
  [at.removeSecondFactor, removeSecondFactor, "changeSecondFactor"],
  [at.beginPasskey, beginPasskey, "changeSecondFactor"],
  [at.passkeys, createPasskey, "changeSecondFactor"],
  [at.removePasskey(":passkeyId"), removePasskey, "changeSecondFactor"],
  [at.discardDraft, discardDraft, "discardDraft"],
];

const formsOfTriage = (at: Links): FormRoutes => [
  [at.thread(":appId", ":id", "tags"), removeTag, "removeTag"],
  [at.thread(":appId", ":id", "assign"), assignToMe, "assign"],
  [at.thread(":appId", ":id", "saved-reply"), insertSavedReply, "insertReply"],
  [at.thread(":appId", ":id", "block"), blockSender, "blockSender"],
  [at.blocked(":appId", ":blockedSenderId/unblock"), unblockSender, "unblockSender"],
  [at.blocked(":appId", "feedback/:hiddenId/release"), releaseHidden, "showHidden"],
  [at.automaticMails(":appId", ":mailId/take"), takeMail, "takeMail"],
  [at.savedReplies(":appId"), createSavedReply, "saveReply"],
  [at.savedReply(":appId", ":savedReplyId", "change"), updateSavedReply, "saveReply"],
  [at.savedReply(":appId", ":savedReplyId", "delete"), deleteSavedReply, "deleteReply"],
  [at.tags(":appId"), createTag, "saveTag"],
  [at.tag(":appId", ":tagId", "change"), updateTag, "saveTag"],
  [at.tag(":appId", ":tagId", "merge"), mergeTag, "mergeTags"],
  [at.tag(":appId", ":tagId", "delete"), deleteTag, "deleteTag"],
];
