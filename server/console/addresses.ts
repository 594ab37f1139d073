import { createApp, deleteApp, updateApp } from "./actions/apps.ts";
import { createEntry, deleteEntry, updateEntry } from "./actions/changelog.ts";
import {
  acceptRequest,
  assignSeat,
  cancelCycle,
  confirmJoin,
  declineRequest,
  removeTester,
  rotateKey,
} from "./actions/cycles.ts";
import { signDeviceOut } from "./actions/devices.ts";
import { createFaq, deleteFaq, orderFaqs, updateFaq } from "./actions/faqs.ts";
import { createKey, regenerateKey, revokeKey } from "./actions/keys.ts";
import { createCycle, createListing, updateListing } from "./actions/listings.ts";
import { changePassword, signOut } from "./actions/session.ts";
import { addMessage, decide, deleteThread, editThread } from "./actions/threads.ts";
import { createToken, revokeToken } from "./actions/tokens.ts";
import type { Links } from "./links.ts";
import { appPage } from "./pages/app.tsx";
import { auditPage } from "./pages/audit.tsx";
import { changelogPage } from "./pages/changelog.tsx";
import { cyclePage } from "./pages/cycle.tsx";
import { cycleReportPage } from "./pages/cycle-report.tsx";
import { devicesPage } from "./pages/devices.tsx";
import { entryPage, newEntryPage } from "./pages/entry.tsx";
import { faqPage, newFaqPage } from "./pages/faq.tsx";
import { faqsPage } from "./pages/faqs.tsx";
import { homePage } from "./pages/home.tsx";
import { inboxPage } from "./pages/inbox.tsx";
import { listingPage, newListingPage } from "./pages/listing.tsx";
import { newAppPage } from "./pages/new-app.tsx";
import { signInMethodsPage } from "./pages/sign-in-methods.tsx";
import { testingPage } from "./pages/testing.tsx";
import { threadPage } from "./pages/thread.tsx";
import { tokensPage } from "./pages/tokens.tsx";
import type { Answer, SignedInVisit } from "./visit.ts";

export type Addresses = readonly (readonly [path: string, answer: Answer<SignedInVisit>])[];

/** The pages of the console. */
export const pages = (at: Links): Addresses => [
  [at.home, homePage],
  [at.inbox(":appId"), inboxPage],
  [at.thread(":appId", ":id"), threadPage],
  [at.faqs(":appId"), faqsPage],
  [at.faqs(":appId", "new"), newFaqPage],
  [at.faq(":appId", ":faqId"), faqPage],
  [at.changelog(":appId"), changelogPage],
  [at.changelog(":appId", "new"), newEntryPage],
  [at.entry(":appId", ":entryId"), entryPage],
  [at.testing(":appId"), testingPage],
  [at.testing(":appId", "new"), newListingPage],
  [at.listing(":appId", ":listingId"), listingPage],
  [at.cycle(":appId", ":cycleId"), cyclePage],
  [at.cycle(":appId", ":cycleId", "report"), cycleReportPage],
  [at.newApp, newAppPage],
  [at.app(":appId"), appPage],
  [at.tokens, tokensPage],
  [at.signInMethods, signInMethodsPage],
  [at.devices, devicesPage],
  [at.audit, auditPage],
];

/** Where its forms are sent. */
export const forms = (at: Links): Addresses => [
  [at.signOut, signOut],
  [at.thread(":appId", ":id", "decision"), decide],
  [at.thread(":appId", ":id", "messages"), addMessage],
  [at.thread(":appId", ":id", "edit"), editThread],
  [at.thread(":appId", ":id", "delete"), deleteThread],
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
  [at.cycle(":appId", ":cycleId", "assign"), assignSeat],
  [at.cycle(":appId", ":cycleId", "cancel"), cancelCycle],
  [at.seat(":appId", ":cycleId", ":slotId", "accept"), acceptRequest],
  [at.seat(":appId", ":cycleId", ":slotId", "decline"), declineRequest],
  [at.seat(":appId", ":cycleId", ":slotId", "remove"), removeTester],
  [at.seat(":appId", ":cycleId", ":slotId", "rotate-key"), rotateKey],
  [at.seat(":appId", ":cycleId", ":slotId", "confirm-join"), confirmJoin],
  [at.newApp, createApp],
  [at.app(":appId"), updateApp],
  [at.app(":appId", "delete"), deleteApp],
  [at.app(":appId", "keys"), createKey],
  [at.key(":appId", ":keyId", "regenerate"), regenerateKey],
  [at.key(":appId", ":keyId", "revoke"), revokeKey],
  [at.tokens, createToken],
  [at.token(":tokenId", "revoke"), revokeToken],
  [at.device(":deviceId", "sign-out"), signDeviceOut],
  [at.password, changePassword],
];
