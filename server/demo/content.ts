/** A small believable app: Larder plans meals and shopping. Ages are in hours before the demo is made. */
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
