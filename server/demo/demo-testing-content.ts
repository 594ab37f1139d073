/** What Larder asks of its testers. */
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

/** The day of the cycle that is today. */
export const demoDay = 9;

/** A tester who has a slot, and what they do each day. */
export interface DemoTester {
  readonly name: string;
  readonly seat: number;
  /** The day on which the tester gets the slot; 0 is before the first day. */
  readonly from: number;
  /**
   * A letter for each day, from day 1 or from day `from`: `s` a session, `p` a proof, `b` a session below the bar, `r` a
   * session below the bar and then one that counts, `l` a session that is uploaded a day late, `-` nothing.
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

/** A tester who has not tested today, so that a task is open. */
export const openTester = "priya";

/** The testers who ask for a slot, and how many hours ago they asked. */
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
