const MB = 1_048_576;

/** Lengths of text are in Unicode code points after trimming, sizes in bytes. (rule H21) */
export const limits = {
  message: 10_000,
  subject: 200,
  senderName: 200,
  email: 254,
  source: 100,
  tagName: 40,
  /** Tags of a thread, and of an app. */
  threadTags: 20,
  appTags: 500,
  savedReplyTitle: 100,
  savedReplies: 200,
  blockedSenders: 1_000,
  /** Texts of unsent forms that are kept for a person, and the characters of all their sealed texts. (rule O17) */
  drafts: { count: 200, length: 4_000_000 },
  /** Files of one body, whatever its fields allow. */
  bodyFiles: 32,
  dedupeKey: 200,
  dedupeScope: 300,
  dedupeRun: 200,
  /** How many tests a report can summarise. Its thread is resolved when all of them have passed. */
  dedupeParts: 5_000,
  /** How many passed failures one request names. */
  passedFailures: 5_000,
  /** How many failures one request resolves, because it is one transaction. */
  resolvedAtOnce: 200,
  question: 500,
  answer: 20_000,
  summary: 2_000,
  plan: 20_000,
  decisionNote: 4_000,
  /** The work on an approved proposal. */
  worker: 100,
  progress: 1_000,
  progressReports: 100,
  outcome: 2_000,
  outcomeLinks: 10,
  /** For how many hours an approval may be valid, at most: a year. */
  approvalHours: 8_760,
  /** For how many days resolved threads may be kept, at most: a hundred years. */
  retentionDays: 36_500,
  changelogTitle: 200,
  changelogBody: 100_000,
  changelogItems: 200,
  changelogItem: 1_000,
  /** Threads that a release note may name. */
  changelogFeedback: 200,
  version: 100,
  platform: 100,
  platformVersions: 20,
  /** A 32-bit integer. */
  sortOrder: { min: -2_147_483_648, max: 2_147_483_647 },
  metadataKeys: 50,
  metadataBytes: 16_384,
  metadataDepth: 5,
  /** How many faults, or omitted parts, an answer names. */
  namedFaults: 20,
  namedDrops: 20,
  fileName: 200,
  label: 100,
  appName: 100,
  url: 2_000,
  /** Open invitations of an app. */
  invitations: 100,
  /** Characters of a password. (rule S1) */
  password: { min: 8, max: 200 },
  /** Characters of a code that a person types. */
  factorCode: 100,
  /** Characters of the answer of an authenticator. */
  passkeyBytes: 8_000,
  /** The sealed first step of a sign-in. */
  signInStep: 2_000,
  changelogPage: { default: 20, max: 50 },
  listPage: { default: 50, max: 100 },
  /** A page of an agent's list: its model reads every line. */
  agentPage: { default: 20, max: 50 },
  /** The console counts only so far, because counting reads every row. */
  mostCounted: 99,
  /** Old threads are counted only so far before a person decides to delete them. */
  oldThreadsCounted: 1_000,
  /** Characters of a position in the order of changes. On PostgreSQL it names each running transaction. */
  changesToken: 6_000,
  waitSeconds: 55,
  /** For how long the server holds a request. One that waited so long without a result does not count for the rate limit. (rule A9) */
  freeWaitSeconds: 20,
  /** An answer with a thread has only its newest messages: a failure that is repeated for months must stay readable. */
  threadMessages: 500,
  threadProposals: 100,
  /** Bytes of a JSON body. (rule H19) */
  json: MB,
  /** The most entries, and the most bytes, of a whole FAQ in one request. */
  listedFaqs: 10_000,
  faqList: 32 * MB,
  /** For requests without a credential. */
  anonymousBody: 32_768,
  /** The base64 of all files at their limits has 54.7 MB; line ends and escapes make it longer. */
  feedback: 60 * MB,
  idempotencyKey: 255,
  /** Closed testing. */
  screens: 50,
  screenName: 200,
  sessionHours: 24,
  deviceId: 200,
  deviceName: 100,
  verifier: { min: 43, max: 128 },
  integrityToken: 16_384,
  pushToken: 1_000,
  proofNote: 2_000,
  packageName: 255,
  testBrief: 5_000,
  listingScreens: 50,
  seats: 100,
  durationDays: 60,
  missedDays: 60,
  proof: 32 * MB,
} as const;

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const videoTypes = ["video/mp4", "video/webm", "video/quicktime"] as const;
export const documentTypes = ["application/pdf"] as const;

/** The files that feedback may have: how many, how large, and of which types. (rule F3) */
export const feedbackFiles = {
  images: { most: 3, bytes: 2 * MB, types: imageTypes },
  videos: { most: 2, bytes: 10 * MB, types: videoTypes },
  attachments: { most: 3, bytes: 5 * MB, types: documentTypes },
} as const;

/** The images of a proof. (rule T29) */
export const proofImages = { most: 6, bytes: 5 * MB, types: imageTypes } as const;

/** A file for an import. Its bytes show no media type, because it is not a picture or a document. */
export const importedFile = { bytes: 4_096 * MB } as const;

/** Sliding windows: the number of requests in a number of seconds. */
export const rateLimits = {
  feedback: { limit: 120, windowSeconds: 60 },
  /** Reports that are added to a thread: a repeated failure needs few bytes. */
  feedbackRepeats: { limit: 1_200, windowSeconds: 60 },
  faqWrites: { limit: 120, windowSeconds: 60 },
  agentReads: { limit: 600, windowSeconds: 3_600 },
  proposals: { limit: 60, windowSeconds: 3_600 },
  /** Claims, progress and outcomes. */
  runWork: { limit: 600, windowSeconds: 3_600 },
  /** Failed sign-ins, by account and address together, so that a stranger cannot lock out people at other addresses. */
  signInByAccount: { limit: 10, windowSeconds: 900 },
  signInByAddress: { limit: 30, windowSeconds: 900 },
  /** Failed sign-ins of a browser or device that has signed in to the account before. */
  signInByKnown: { limit: 30, windowSeconds: 900 },
  /**
   * Failed sign-ins of all known browsers together: with an old password a person can make any number of known browsers.
   */
  signInByAllKnown: { limit: 120, windowSeconds: 900 },
  /** Requests for mailed links, and uses of them. */
  linksByAddress: { limit: 60, windowSeconds: 900 },
  /** Mails with links to one address. Further ones are not sent, and nobody is told. */
  linkMails: { limit: 3, windowSeconds: 3_600 },
  /**
   * Wrong codes of an authenticator app, by account and place: a browser or device that has signed in to the account before, or
   * else a network. Only a person with the first factor can make them.
   */
  secondFactor: { limit: 5, windowSeconds: 900 },
  secondFactorByPlace: { limit: 10, windowSeconds: 86_400 },
  /** Of all known browsers and devices of an account together, and of all others together. */
  secondFactorByDay: { limit: 30, windowSeconds: 86_400 },
  /** Wrong recovery codes, by account and network. They have a limit of their own, so that they work when the other is reached. */
  recoveryCodes: { limit: 10, windowSeconds: 900 },
  /** Cannot be changed or switched off. (rule T30) */
  sdkSession: { limit: 60, windowSeconds: 3_600 },
  /** Exchanges of codes for tokens. (rule S16) */
  exchangeByDevice: { limit: 30, windowSeconds: 900 },
  exchangeByAddress: { limit: 120, windowSeconds: 900 },
  /** Requests without a credential whose head or body is refused. Each server counts its own, because they cost its time. */
  refusedBodiesByAddress: { limit: 300, windowSeconds: 60 },
  /**
   * Requests with a credential that are refused for their scope, head or body, by credential and network. Each server counts
   * its own.
   */
  refusedByCredential: { limit: 600, windowSeconds: 60 },
  awaitByDevice: { limit: 300, windowSeconds: 900 },
  /** Anyone can name any device, so this limits how much one sender makes the server hold and write. */
  awaitByAddress: { limit: 1_200, windowSeconds: 900 },
  registrationsByAddress: { limit: 300, windowSeconds: 900 },
  /** Refused registrations: each shows that an e-mail address has an account. */
  refusedRegistrationsByAddress: { limit: 30, windowSeconds: 900 },
  /** Programs that register themselves, for their connections. */
  clientsByAddress: { limit: 20, windowSeconds: 3_600 },
  /** Requests of programs for tokens, and returned tokens. */
  connectionsByAddress: { limit: 600, windowSeconds: 900 },
  /** New tokens of one connection. A program needs one an hour. */
  refreshesByConnection: { limit: 60, windowSeconds: 3_600 },
  /** Documents of programs that the server reads for an account. */
  clientDocuments: { limit: 60, windowSeconds: 3_600 },
  /** Invitations that one person makes. */
  newInvitations: { limit: 60, windowSeconds: 3_600 },
  /** Links of invitations that one account, or one address, opens or accepts. */
  invitationsByAccount: { limit: 60, windowSeconds: 900 },
  invitationsByAddress: { limit: 120, windowSeconds: 900 },
  /** Saves of typed text that was not sent, by account. A page saves every three seconds while a person types. */
  drafts: { limit: 120, windowSeconds: 60 },
  /** Exports of apps: each reads all of an app. */
  exports: { limit: 20, windowSeconds: 3_600 },
  imports: { limit: 20, windowSeconds: 3_600 },
  /** Requests for slots, and new test keys. (rule T32) */
  slotRequests: { limit: 120, windowSeconds: 3_600 },
  /** Rule T31. */
  proofsBySlot: { limit: 12, windowSeconds: 3_600 },
  proofsByAccount: { limit: 120, windowSeconds: 3_600 },
} as const;

export type RateLimitName = keyof typeof rateLimits;
