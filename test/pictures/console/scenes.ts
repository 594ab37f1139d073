import { createLinks } from "../../../server/console/links.ts";

/** A page of the console in `docs/console.md`. */
export interface ConsoleScene {
  /** The start of the names of its four files. */
  readonly name: string;
  readonly title: string;
  /** What a person does there. */
  readonly says: string;
  /** The pattern of its address, as its `definePage` has it, or the name of a page that nobody has to sign in for. */
  readonly page: string;
}

const at = createLinks("/console");

/** The pages in the order in which `docs/console.md` shows them. */
export const consoleScenes: readonly ConsoleScene[] = [
  {
    name: "home",
    title: "Decisions",
    page: at.home,
    says: "The first page after the sign-in: proposals that wait for you, approved plans, plans in work, slot requests, tests with too few testers, and your apps.",
  },
  {
    name: "inbox",
    title: "Inbox",
    page: at.inbox(":appId"),
    says: "The threads of an app: views with their numbers, the list, and the thread that you open beside it. Select threads and resolve, archive, assign, tag or snooze them, with the mouse or a key. On a phone there is the list, and the thread in its place.",
  },
  {
    name: "all-apps",
    title: "Inbox of all apps",
    page: at.allFeedback,
    says: "The threads of all your apps in one list. A thread opens in the inbox of its app.",
  },
  {
    name: "thread",
    title: "Thread with a proposal",
    page: at.thread(":appId", ":id"),
    says: "A report and everything that followed. Read the plan of the agent, and approve it, ask for changes or reject it. Answer the sender, or write a note for the team; a / lists the saved replies. Beside it are the metadata, other threads of the sender and similar ones. The page names other members who are answering.",
  },
  {
    name: "merge",
    title: "Merging threads",
    page: at.thread(":appId", ":id", "merge"),
    says: "Choose the thread into which another one goes, by words or by its number. Each sender goes on seeing only their own words. A merge can be undone for 30 days.",
  },
  {
    name: "search",
    title: "Search",
    page: at.search,
    says: "Search the feedback of all your apps, the FAQ and the pages. Ctrl+K opens the search over any page.",
  },
  {
    name: "numbers",
    title: "Numbers",
    page: at.numbers(":appId"),
    says: "What came in, how fast it was answered, which failures return, and what became of agents' proposals. Each chart has its table.",
  },
  {
    name: "tags",
    title: "Tags",
    page: at.tags(":appId"),
    says: "Rename, merge and delete the tags of an app.",
  },
  {
    name: "saved-replies",
    title: "Saved replies",
    page: at.savedReplies(":appId"),
    says: "Texts that the team sends often. A thread offers them for a reply.",
  },
  {
    name: "blocked",
    title: "Blocked senders",
    page: at.blocked(":appId"),
    says: "Addresses and domains whose feedback is hidden. Look at it, release it, or unblock the sender.",
  },
  {
    name: "automatic-mails",
    title: "Mail from programs",
    page: at.automaticMails(":appId"),
    says: "Answers by mail that say that a program wrote them. Read one, and say that it is a person: it goes to its thread.",
  },
  {
    name: "faqs",
    title: "FAQ",
    page: at.faqs(":appId"),
    says: "The questions and answers of an app, in the order in which the app shows them.",
  },
  {
    name: "faq",
    title: "FAQ entry",
    page: at.faq(":appId", ":faqId"),
    says: "Edit one question and its answer.",
  },
  { name: "new-faq", title: "New FAQ entry", page: at.faqs(":appId", "new"), says: "Add a question." },
  {
    name: "changelog",
    title: "Release notes",
    page: at.changelog(":appId"),
    says: "Drafts and published release notes.",
  },
  {
    name: "changelog-entry",
    title: "Release note",
    page: at.entry(":appId", ":entryId"),
    says: "Edit a release note, look at its preview, and publish it. The page says how many senders get a mail, and why others do not.",
  },
  {
    name: "new-changelog-entry",
    title: "New release note",
    page: at.changelog(":appId", "new"),
    says: "Write a release note.",
  },
  {
    name: "listings",
    title: "Closed tests",
    page: at.testing(":appId"),
    says: "The listings of an app, and their cycles.",
  },
  {
    name: "listing",
    title: "Listing",
    page: at.listing(":appId", ":listingId"),
    says: "Describe the test to testers, and plan a cycle.",
  },
  { name: "new-listing", title: "New listing", page: at.testing(":appId", "new"), says: "Add a listing." },
  {
    name: "cycle",
    title: "Cycle",
    page: at.cycle(":appId", ":cycleId"),
    says: "If the test can reach its goal, who must still test today, and every day with its evidence.",
  },
  {
    name: "cycle-report",
    title: "Report of a cycle",
    page: at.cycle(":appId", ":cycleId", "report"),
    says: "What you can show to a store: testers, days and evidence.",
  },
  {
    name: "members",
    title: "Members",
    page: at.members(":appId"),
    says: "Invite people, change their roles, and remove them.",
  },
  {
    name: "invitation",
    title: "Invitation",
    page: at.invitation(":token"),
    says: "The page that an invited person sees.",
  },
  { name: "new-app", title: "New app", page: at.newApp, says: "Add an app." },
  {
    name: "begin",
    title: "A first app",
    page: at.newStart,
    says: "Name an app and say what sends its first reports. A new owner begins here.",
  },
  {
    name: "first-steps",
    title: "First steps",
    page: at.start(":appId"),
    says: "From a key to the first answer: copy a call, see the first report arrive, and answer it.",
  },
  {
    name: "app",
    title: "Settings of an app",
    page: at.app(":appId"),
    says: "Name, switches and keys of an app. An owner deletes it here.",
  },
  {
    name: "webhooks",
    title: "Webhooks",
    page: at.webhooks(":appId"),
    says: "Addresses of programs that get the events of an app. The secret of a new one is shown once.",
  },
  {
    name: "webhook",
    title: "Webhook with its log",
    page: at.webhook(":appId", ":webhookId"),
    says: "See each delivery with its answers. Test the webhook, send events again, replace its secret, switch it off or delete it.",
  },
  {
    name: "data",
    title: "Data of an app",
    page: at.data(":appId"),
    says: "Download everything of an app.",
  },
  {
    name: "import-app",
    title: "Import of an app",
    page: at.importApp,
    says: "Create a new app from such a download.",
  },
  {
    name: "tokens",
    title: "Tokens",
    page: at.tokens,
    says: "Tokens for agents and scripts, and the agents that are connected.",
  },
  {
    name: "devices",
    title: "Devices",
    page: at.devices,
    says: "Devices on which you test. Sign them out here.",
  },
  {
    name: "sign-in-methods",
    title: "Sign-in methods",
    page: at.signInMethods,
    says: "Password, second factor, passkeys and identity providers.",
  },
  {
    name: "account",
    title: "Account",
    page: at.account,
    says: "Where you are signed in. End a session here.",
  },
  {
    name: "notices",
    title: "Notices",
    page: at.notices(),
    says: "Choose which notices you get about each app, how, and when not.",
  },
  {
    name: "people",
    title: "Erase a person",
    page: at.people,
    says: "See what your apps hold of an e-mail address, erase it, and check a receipt.",
  },
  {
    name: "receipt",
    title: "Receipt of an erasure",
    page: at.receipt(":erasureId"),
    says: "What was erased, and until when older backups hold it. The receipt does not have the address.",
  },
  {
    name: "unsent-text",
    title: "Unsent text",
    page: at.drafts,
    says: "What you typed and did not send, on any of your browsers.",
  },
  { name: "audit", title: "Audit", page: at.audit, says: "Who did what, and when." },
  {
    name: "sign-in",
    title: "Sign-in",
    page: "sign-in",
    says: "Sign in with a password, a passkey or a provider.",
  },
  {
    name: "recovery",
    title: "New password",
    page: "recovery",
    says: "Ask for a mail with a link to a new password. A server without mail says who can help.",
  },
  {
    name: "sign-up",
    title: "New account",
    page: "sign-up",
    says: "The page behind the link in a mail for a new account.",
  },
  {
    name: "device",
    title: "Sign-in of a device",
    page: "device",
    says: "A tester allows a device or the command line to act for them.",
  },
  {
    name: "consent",
    title: "Connection of an agent",
    page: "consent",
    says: "Allow an agent to connect, for the apps and rights that you choose.",
  },
  {
    name: "sender",
    title: "The sender's page",
    page: "sender",
    says: "A sender reads the replies to one report and answers. It needs no account.",
  },
];
