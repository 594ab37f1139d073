import { appData } from "../../src/contract/app-data.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { accountPage, deleteAccount, endOtherSessions, endSession } from "../access/accounts/page.tsx";
import {
  appPage,
  createApp,
  createKey,
  deleteApp,
  newAppPage,
  regenerateKey,
  revokeKey,
  updateApp,
} from "../access/apps/page.tsx";
import { auditPage } from "../access/audit/page.tsx";
import { devicesPage, signDeviceOut } from "../access/devices/page.tsx";
import {
  acceptInvitation,
  changeRole,
  invitationPage,
  invite,
  membersPage,
  removeMember,
  withdrawInvitation,
} from "../access/members/page.tsx";
import { signOut } from "../access/sign-in/page/console.tsx";
import {
  beginPasskey,
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  createPasskey,
  removePasskey,
  removeSecondFactor,
  renewRecoveryCodes,
  signInMethodsPage,
} from "../access/sign-in-methods/page.tsx";
import { createToken, revokeToken, rotateToken, tokensPage } from "../access/tokens/page.tsx";
import {
  createEntry,
  deleteEntry,
  entryPage,
  newEntryPage,
  updateEntry,
} from "../content/changelog/page/entry.tsx";
import { changelogPage } from "../content/changelog/page/list.tsx";
import {
  createFaq,
  deleteFaq,
  faqPage,
  faqsPage,
  newFaqPage,
  orderFaqs,
  updateFaq,
} from "../content/faqs/page.tsx";
import { checkReceipt, erasePerson, findPerson, peoplePage, receiptPage } from "../erasure/page.tsx";
import { blockedPage, releaseHidden, unblockSender } from "../feedback/blocked-senders/page.tsx";
import { homePage } from "../feedback/home/page.tsx";
import { hideChanges, inboxPage, markAllRead } from "../feedback/inbox/page.tsx";
import {
  createSavedReply,
  deleteSavedReply,
  savedRepliesPage,
  updateSavedReply,
} from "../feedback/saved-replies/page.tsx";
import { createTag, deleteTag, mergeTag, tagsPage, updateTag } from "../feedback/tags/page.tsx";
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
} from "../feedback/threads/page/forms.ts";
import { threadPage } from "../feedback/threads/page/page.tsx";
import { automaticMailsPage, takeMail } from "../mail/incoming/page.tsx";
import {
  acceptRequest,
  assignSlot,
  cancelCycle,
  confirmJoin,
  cyclePage,
  declineRequest,
  removeTester,
  rotateKey,
} from "../testing/cycles/page/cycle.tsx";
import { cycleReportPage } from "../testing/cycles/page/report.tsx";
import { listingsPage } from "../testing/listings/page/list.tsx";
import {
  createCycle,
  createListing,
  listingPage,
  newListingPage,
  updateListing,
} from "../testing/listings/page/listing.tsx";
import { dataPage, importApp, importPage } from "../transfer/page.tsx";
import { discardDraft, draftsPage } from "./drafts/page.tsx";
import type { Links } from "./links.ts";
import type { Act } from "./notices.ts";
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
