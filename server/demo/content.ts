import type { RunDecision } from "../../src/contract/runs.ts";

/** Larder, the app of the demo, plans meals. Each age is in hours before the demo's creation. */
export const demoApp = { name: "Larder", githubRepository: "larder-app/larder" } as const;

export const demoFaqs = [
  {
    question: "Why does my shopping list show an item twice?",
    answer:
      "Two recipes may name the same thing differently, such as “spring onion” and “scallion”. Tap one, choose **Merge with…**, and Larder remembers it.",
  },
  {
    question: "Can I use Larder without an account?",
    answer: "Yes. Everything stays on your phone then. An account only adds syncing between devices.",
  },
  {
    question: "How do I move to a new phone?",
    answer: "Sign in on both phones, wait for the tick beside **Synced**, and you are done.",
  },
] as const;

export const demoChangelog = [
  {
    title: "Lists that keep up",
    version: "2.4.0",
    versions: [
      { platform: "android", version: "2.4.0" },
      { platform: "ios", version: "2.4.1" },
    ],
    releaseType: "minor",
    ageHours: 30,
    items: [
      { type: "added", text: "Share a shopping list with your household" },
      { type: "changed", text: "The list sorts itself by the aisles of your shop" },
      { type: "fixed", text: "Ticked items no longer come back after syncing" },
    ],
  },
  {
    title: "Faster search",
    version: "2.3.2",
    versions: [],
    releaseType: "patch",
    ageHours: 400,
    items: [{ type: "fixed", text: "Searching 2,000 recipes takes a blink instead of three seconds" }],
  },
] as const;

export const demoThreads = [
  {
    type: "bug",
    subject: "Crash when I add a photo to a recipe",
    message:
      "Since the update Larder closes every time I add a photo from the gallery to a recipe. Taking a new photo works. Pixel 8, Android 16, Larder 2.4.0.",
    name: "Mara Lindqvist",
    email: "mara@example.org",
    source: "android",
    metadata: { version: "2.4.0", device: "Pixel 8", os: "Android 16", build: 2410 },
    ageHours: 2,
  },
  {
    type: "feature",
    subject: "Scale a recipe to the number of guests",
    message: "Please let me say “for 7 people” and have all amounts follow. I do it by hand each Sunday.",
    name: "Theo",
    email: null,
    source: "ios",
    metadata: { version: "2.4.1" },
    ageHours: 9,
  },
  {
    type: "question",
    subject: "Is my list visible to other people?",
    message: "I shared one list with my flatmate. Can she see my other lists now?",
    name: "A. Okafor",
    email: "okafor@example.org",
    source: "android",
    metadata: {},
    ageHours: 26,
  },
  {
    type: "general",
    subject: "Thank you for the aisle sorting",
    message: "Shopping takes me half the time now. That is all!",
    name: null,
    email: null,
    source: "ios",
    metadata: {},
    ageHours: 50,
  },
  {
    type: "bug",
    subject: "Search does not find “crème fraîche”",
    message: "I typed creme fraiche and found nothing. With the accents it is there.",
    name: "Jo",
    email: "jo@example.org",
    source: "android",
    metadata: { version: "2.3.2" },
    ageHours: 74,
  },
] as const;

export const demoListing = {
  appName: "Larder",
  packageName: "app.larder.android",
  optInUrl: "https://play.example/apps/testing/app.larder.android",
  testBrief: [
    "Plan a day's meals, add what is missing to the shopping list, and tick something off.",
    "Tell us where you had to think. The screen of the day is the one we most want you to visit.",
  ].join("\n"),
  screens: ["Recipes", "Meal plan", "Shopping list", "Pantry", "Settings"],
} as const;

export const demoTimezone = "Europe/Berlin";

/** The number of the cycle's day on which the demo is created. */
export const demoDay = 9;

/** A tester who has a slot, and what they do each day. */
export interface DemoTester {
  readonly name: string;
  readonly seat: number;
  /** The day on which the tester gets the slot; 0 is before the first day. */
  readonly from: number;
  /**
   * One letter per day, beginning with the later of day 1 and `from`. `s`: session. `b`: short session. `r`:
   * short session, then session. `l`: session that arrives a day late. `p`: proof. `-`: nothing.
   */
  readonly days: string;
}

export const demoTesters: readonly DemoTester[] = [
  { name: "nadia", seat: 1, from: 0, days: "sssssssss" },
  { name: "oskar", seat: 2, from: 0, days: "sssspssss" },
  { name: "priya", seat: 3, from: 0, days: "ssslssss-" },
  { name: "quentin", seat: 4, from: 0, days: "ss-sssspb" },
  { name: "rosa", seat: 5, from: 0, days: "srsssbss-" },
  { name: "sami", seat: 6, from: 0, days: "sss---" },
  { name: "tilda", seat: 6, from: 8, days: "-s" },
  { name: "umar", seat: 7, from: 0, days: "psppspsps" },
  { name: "vera", seat: 8, from: 0, days: "sssssss--" },
  { name: "wim", seat: 9, from: 3, days: "-ssssss" },
];

/** A tester who has not tested today, so that the demo shows an open task. */
export const openTester = "priya";

/** The testers whose requests for a slot wait for an answer, and how many hours ago each request was sent. */
export const demoRequests = [
  { name: "xenia", seat: 10, askedHoursAgo: 7 },
  { name: "yusuf", seat: 11, askedHoursAgo: 26 },
] as const;

export const demoProofNotes = [
  "The list was empty until I pulled it down.",
  "Sorting by aisle works in my shop now.",
  "Ticking off is quick. The undo is gone too soon.",
] as const;

export const addressOf = (name: string): string => `${name}@testers.example`;

/** A proposal of the demo, with its decision, progress and outcome. Ages are hours before the demo is created. */
export interface DemoProposal {
  /** The beginning of the subject of the thread to which the proposal belongs. */
  readonly thread: string;
  readonly ageHours: number;
  readonly summary: string;
  readonly plan: string;
  readonly decided?: {
    readonly ageHours: number;
    readonly decision: RunDecision;
    readonly note: string | null;
  };
  readonly claim?: DemoClaim;
}

export interface DemoClaim {
  readonly ageHours: number;
  readonly worker: string;
  readonly progress: readonly { readonly ageHours: number; readonly text: string }[];
  readonly outcome?: {
    readonly ageHours: number;
    readonly status: "succeeded" | "failed";
    readonly summary: string;
    readonly links: readonly string[];
  };
}

const photoSummary =
  "The gallery picker returns a content URI that the photo importer opens after its permission has ended.";

/** The proposals of the demo, oldest first. The newest proposal waits for a decision. */
export const demoProposals: readonly DemoProposal[] = [
  {
    thread: "Search does not find",
    ageHours: 60,
    summary:
      "The search compares letters with their accents. Remove the accents from the names and from the typed text before they are compared.",
    plan: [
      "1. Store each name a second time without accents (SearchIndex.kt).",
      "2. Remove the accents from what is typed before it is compared.",
      "3. Add tests for French, Polish and Turkish names.",
    ].join("\n"),
    decided: { ageHours: 58, decision: "approve", note: null },
    claim: {
      ageHours: 57,
      worker: "larder-ci-31",
      progress: [{ ageHours: 56.5, text: "The index is rebuilt on the test device." }],
      outcome: {
        ageHours: 56,
        status: "succeeded",
        summary: "The search finds names with and without accents. All 214 tests pass.",
        links: ["https://github.com/larder-app/larder/pull/412"],
      },
    },
  },
  {
    thread: "Scale a recipe",
    ageHours: 6,
    summary: "Add a field for the number of guests, and scale the amounts while a recipe is shown.",
    plan: [
      "1. Add the number of guests to the recipe's page, with buttons for more and fewer.",
      "2. Scale amounts when they are shown. Never change what is stored.",
      "3. Round to amounts that a kitchen can measure.",
    ].join("\n"),
    decided: { ageHours: 5, decision: "approve", note: "Keep quarters and thirds as fractions." },
    claim: {
      ageHours: 4.5,
      worker: "larder-ci-47",
      progress: [
        { ageHours: 4.4, text: "Reading how amounts are stored." },
        { ageHours: 3.2, text: "Steps 1 and 2 are done. 8 of 11 tests pass." },
      ],
    },
  },
  {
    thread: "Crash when I add a photo",
    ageHours: 1.8,
    summary: photoSummary,
    plan: [
      "1. Copy the picked file into the app's cache before the picker closes (PhotoImporter.kt).",
      "2. Catch the exception in the photo importer.",
      "3. Release as 2.4.2.",
    ].join("\n"),
    decided: {
      ageHours: 1.4,
      decision: "request_changes",
      note: "Do not hide the failure: say something to the person. Add a test, and try it with our testers first.",
    },
  },
  {
    thread: "Crash when I add a photo",
    ageHours: 1,
    summary: photoSummary,
    plan: [
      "1. Copy the picked file into the app's cache before the picker closes (PhotoImporter.kt).",
      "2. Show a message instead of crashing when the copy fails.",
      "3. Add a test that picks a photo and delays the import.",
      "4. Release as 2.4.2 to closed testing first.",
    ].join("\n"),
  },
];
