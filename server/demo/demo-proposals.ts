import type { RunDecision } from "../../src/contract/runs.ts";

/** A proposal of the demo, and what followed. Ages are in hours before the demo is made. */
export interface DemoProposal {
  /** The subject of its thread begins with this. */
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

/** Oldest first. The last one waits for a decision. */
export const demoProposals: readonly DemoProposal[] = [
  {
    thread: "Search does not find",
    ageHours: 60,
    summary: "The search compares letters with their accents. Fold the accents on both sides.",
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
