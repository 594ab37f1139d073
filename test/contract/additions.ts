/**
 * The fields of answers that the base API does not have. A client of the base API ignores such fields, so nobody would
 * notice a new one. Therefore a test compares this list with the endpoints. Answers for apps and testers (FAQ, release
 * notes, sessions, tasks, slots, the exchange) have no such fields, because some decoders refuse them. (rule H33)
 */
export const additions = {
  /** Fields by `operationId`. `[]` stands for each element of a list. */
  fields: {
    "feedback.submit": [
      ...[
        "id",
        "consoleUrl",
        "statusUrl",
        "deduplicated",
        ...["earlier", "earlier.id", "earlier.consoleUrl"],
        "metadataDropped",
        "filesDropped",
        "fieldsDropped",
      ],
    ],
    /** Only with `?include=…`, and the language only with `?lang=…`. */
    "faqs.list": ["[].pushedHash", "[].pushedSortOrder", "[].translations", "[].language"],
    /** Only with `?lang=…`. */
    "changelog.list": ["entries[].language"],
    /** The base API does not define this answer. */
    "tester.submitProof": ["proofId", "slotId", "dayIndex", "submitted"],
    /** The base API does not define this answer. `slot` is like an element of the list of slots. */
    "tester.requestSlot": ["slot"],
    "agent.readThread": [
      ...["feedback.videos", "feedback.source", "feedback.occurrences", "feedback.createdAt"],
      // Only set if the requested thread was merged into another one.
      "feedback.mergedInto",
      ...["name", "url", "mediaType", "size"].map((field) => `feedback.attachments[].${field}`),
      ...["id", "author", "category", "subject", "source", "metadata", "images", "videos", "attachments"].map(
        (field) => `messages[].${field}`,
      ),
      ...["name", "url", "mediaType", "size"].map((field) => `messages[].attachments[].${field}`),
      "omittedMessages",
      // Only set if the answer leaves out messages.
      "nextBefore",
      ...["id", "status", "summary", "plan", "decisionNote", "decidedAt", "createdAt", "replacedBy"].map(
        (field) => `latestProposal.${field}`,
      ),
      "latestProposal.decision",
    ],
    "agent.propose": ["mergedInto"],
    "agent.readRun": [
      ...["replacedBy", "decision", "expiresAt", "feedbackId", "consoleUrl", "summary", "plan", "planSha256"],
      ...["claim", "claim.worker", "claim.claimedAt", "claim.releasedAt"],
      ...["progress", "progress.text", "progress.reportedAt", "progress.count"],
      ...["outcome", "outcome.status", "outcome.summary", "outcome.links", "outcome.reportedAt"],
    ],
  },
  /** Fields of errors that the base API does not have. It has only `dayIndex` and `reasons`. */
  errorFields: ["issues", "runId", "mayResume", "entryId", "step", "requestId"],
  /**
   * Whole endpoints that the base API lacks, in addition to all endpoints of the console. The base API has `register`
   * and `token`, but does not describe their answers.
   */
  endpoints: [
    ...["faqs.replace", "signIn.await", "signIn.register", "signIn.token"],
    ...["tester.listings", "tester.rotateKey", "tester.updateProfile"],
    ...["agent.listFeedback", "agent.listRuns"],
    ...["agent.claimRun", "agent.reportProgress", "agent.reportOutcome"],
  ],
} as const satisfies {
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly errorFields: readonly string[];
  readonly endpoints: readonly string[];
};
