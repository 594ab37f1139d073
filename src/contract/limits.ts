const MB = 1_048_576;

/** Lengths of text are in Unicode code points after trimming. Sizes are in bytes. (rule H21) */
export const limits = {
  message: 10_000,
  subject: 200,
  senderName: 200,
  email: 254,
  memberName: 60,
  source: 100,
  tagName: 40,
  /** The maximum number of tags of one thread (`threadTags`) and of one app (`appTags`). */
  threadTags: 20,
  appTags: 500,
  /**
   * The maximum numbers in statistics: days, listed threads (`top`), listed versions, counted versions of a
   * day, and counted open threads. (rules F60 to F64)
   */
  statistics: { days: 366, top: 10, versions: 20, versionsOfDay: 100, open: 10_000 },
  /**
   * Statistics count waiting times in ranges that end at these minutes. The last range has no end. (rule F61)
   */
  waits: [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 4_320, 10_080, 43_200],
  savedReplyTitle: 100,
  savedReplies: 200,
  blockedSenders: 1_000,
  /**
   * The maximum number of unsent form texts of one person, and the maximum characters of these texts together,
   * encrypted. (rule O17)
   */
  drafts: { count: 200, length: 4_000_000 },
  /** The maximum number of files in one body, in all fields together. */
  bodyFiles: 32,
  dedupeKey: 200,
  dedupeScope: 300,
  dedupeRun: 200,
  /** The maximum number of tests in a report. When all have passed, the thread is resolved. */
  dedupeParts: 5_000,
  /** The maximum number of entries in a request about passed tests. Each entry names one or more failures. */
  passedFailures: 5_000,
  /**
   * The maximum number of failures that one request resolves. It is low, because the request is one transaction.
   */
  resolvedAtOnce: 200,
  /** The maximum number of views that a person sees in an app. A view counts threads up to `viewCount`. */
  views: 100,
  viewName: 60,
  viewCount: 500,
  /**
   * The maximum number of thread ids in a bulk change (`bulkIds`), and of threads that match its filters
   * (`bulkFound`).
   */
  bulkIds: 200,
  bulkFound: 5_000,
  /** The maximum number of apps whose notices one request changes. */
  noticeApps: 100,
  /** The maximum number of days for which a thread can be snoozed. */
  snoozeDays: 366,
  /** For how many days a merge of threads can be undone. */
  unmergeDays: 30,
  /** The maximum number of messages of a thread that is merged into another thread. */
  mergedMessages: 2_000,
  /** The maximum number of threads that can be merged into a thread, directly or through other threads. */
  mergedThreads: 10_000,
  /** The maximum length of a chain of merges, in which each thread was merged into the next thread. */
  mergeDepth: 100,
  /** The maximum length of a question and of an answer in the FAQ. (rule C2) */
  question: 500,
  answer: 20_000,
  summary: 2_000,
  plan: 20_000,
  decisionNote: 4_000,
  /** Limits of the work on an approved proposal. */
  worker: 100,
  progress: 1_000,
  progressReports: 100,
  outcome: 2_000,
  outcomeLinks: 10,
  /** The maximum number of hours for which an approval can be valid: a year. */
  approvalHours: 8_760,
  /** The maximum number of days for which resolved threads can be kept: a hundred years. */
  retentionDays: 36_500,
  changelogTitle: 200,
  changelogBody: 100_000,
  changelogItems: 200,
  changelogItem: 1_000,
  /** The maximum number of threads whose ids a release note can contain. */
  changelogFeedback: 200,
  /** The maximum number of translations of an FAQ entry or a release note. */
  languages: 20,
  /** The maximum number of bytes of all translations of an FAQ entry or a release note together, as JSON. */
  translations: MB,
  /** The maximum number of characters of a language tag. */
  language: 35,
  /** The maximum number of characters in a search in the release notes of an app. */
  contentSearch: 200,
  feedbackSearch: 200,
  version: 100,
  /**
   * The maximum length of a platform name (`platform`), and the maximum number of `versions` of a release note
   * (`platformVersions`).
   */
  platform: 100,
  platformVersions: 20,
  /** The range of signed 32-bit integers. */
  sortOrder: { min: -2_147_483_648, max: 2_147_483_647 },
  metadataKeys: 50,
  metadataBytes: 16_384,
  metadataDepth: 5,
  /** The maximum number of brackets, colons and commas in metadata that the server reads completely. */
  metadataStructure: 65_536,
  /**
   * The maximum number of faults (`namedFaults`), and of omitted parts (`namedDrops`), that one answer lists.
   */
  namedFaults: 20,
  namedDrops: 20,
  fileName: 200,
  label: 100,
  appName: 100,
  url: 2_000,
  /** The maximum number of open invitations of an app. */
  invitations: 100,
  /** The minimum and the maximum number of characters of a password. (rule S1) */
  password: { min: 8, max: 200 },
  /** The maximum number of characters of a code that a person types. */
  factorCode: 100,
  /** The maximum number of characters of each base64url field in the answer of an authenticator. */
  passkeyBytes: 8_000,
  /** The maximum number of characters of the encrypted state between two steps of a sign-in. */
  signInStep: 2_000,
  /** The maximum number of bytes of a request that adds pictures for FAQ entries or release notes. */
  contentPictures: 12 * MB,
  /** The maximum number of earlier texts of an FAQ entry or a release note. */
  contentVersions: 50,
  changelogPage: { default: 20, max: 50 },
  listPage: { default: 50, max: 100 },
  /** The length of a page for an agent. It is short, because a model reads every line. */
  agentPage: { default: 20, max: 50 },
  /** The highest number that the console counts exactly. Counting is slow, because it reads every row. */
  mostCounted: 99,
  /** Threads that a retention period would delete are counted exactly up to this number. */
  oldThreadsCounted: 1_000,
  /** The maximum length of `changes`. On PostgreSQL, `changes` contains the id of each running transaction. */
  changesToken: 6_000,
  waitSeconds: 55,
  /** The maximum number of browsers that show notices to a person. */
  noticeBrowsers: 20,
  /** The maximum number of webhooks of an app. */
  webhooks: 20,
  /** The maximum number of characters of a receiver's answer that the log keeps. */
  webhookAnswer: 500,
  /** The maximum number of events that one request sends again. */
  replayedEvents: 10_000,
  /** The maximum number of hours for which the old secret of a webhook stays valid. */
  oldSecretHours: 168,
  /** The maximum number of characters of a position in the list of events. */
  eventsPosition: 200,
  /**
   * A long poll without a result does not count for the rate limit if it took at least these seconds. (rule A9)
   */
  freeWaitSeconds: 20,
  /**
   * The maximum number of messages in an answer about a thread. The answer contains the newest messages.
   * (rule F19)
   */
  threadMessages: 500,
  /**
   * The maximum bytes of the messages in an answer about a thread. The newest message may be larger. (rule F19)
   */
  threadMessageBytes: MB,
  threadProposals: 100,
  /** The maximum number of bytes of a JSON body. (rule H19) */
  json: MB,
  /**
   * The maximum number of brackets, colons and commas outside of strings in JSON. FAQ lists of 1 MiB need
   * 210,000.
   */
  jsonStructure: 250_000,
  /** The maximum bytes of a report in JSON. Files and cut parts of texts do not count. */
  jsonWithMetadata: 4 * MB,
  /**
   * The maximum entries (`listedFaqs`) and bytes (`faqList`) of a whole FAQ with drafts, stored or in a
   * request. (rule C38)
   */
  listedFaqs: 10_000,
  faqList: 32 * MB,
  /**
   * The maximum number of brackets, colons and commas in a whole FAQ. 10,000 entries with 20 translations need
   * 1,600,000.
   */
  faqListStructure: 2_000_000,
  /** The maximum number of bytes of the body of a request without a credential. */
  anonymousBody: 32_768,
  /** The maximum bytes of a report with files. The largest files need 54.7 MB in base64. */
  feedback: 60 * MB,
  idempotencyKey: 255,
  /** Limits of closed testing. */
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

/** The maximum number, the maximum size and the allowed types of the files of a report. (rule F3) */
export const feedbackFiles = {
  images: { most: 3, bytes: 2 * MB, types: imageTypes },
  videos: { most: 2, bytes: 10 * MB, types: videoTypes },
  attachments: { most: 3, bytes: 5 * MB, types: documentTypes },
} as const;

/** The pictures of one request for FAQ entries and release notes. (rule C26) */
export const contentPictures = feedbackFiles.images;

/** The images of a proof. (rule T29) */
export const proofImages = { most: 6, bytes: 5 * MB, types: imageTypes } as const;

/** The maximum size of a file to import. There is no list of media types: the server detects the format. */
export const importedFile = { bytes: 4_096 * MB } as const;

/** Rate limits with a sliding window: at most `limit` requests within `windowSeconds`. */
export const rateLimits = {
  feedback: { limit: 120, windowSeconds: 60 },
  /** Reports that are added to an existing thread. They need little space, so the limit is high. (rule F11) */
  feedbackRepeats: { limit: 1_200, windowSeconds: 60 },
  faqWrites: { limit: 120, windowSeconds: 60 },
  /** Reads with one agent token. (rule A13) */
  agentReads: { limit: 600, windowSeconds: 3_600 },
  proposals: { limit: 60, windowSeconds: 3_600 },
  /** Requests that claim a plan, or report its progress or outcome. (rule A13) */
  runWork: { limit: 600, windowSeconds: 3_600 },
  /**
   * Failed sign-ins per account and IP address. A stranger cannot lock the account for other addresses.
   * (rule S17)
   */
  signInByAccount: { limit: 10, windowSeconds: 900 },
  signInByAddress: { limit: 30, windowSeconds: 900 },
  /** Failed sign-ins of one browser or device that has signed in to the account before. */
  signInByKnown: { limit: 30, windowSeconds: 900 },
  /** Failed sign-ins of all known browsers of an account together. An attacker may have many known browsers. */
  signInByAllKnown: { limit: 120, windowSeconds: 900 },
  /** Requests for mailed links, and uses of such links. */
  linksByAddress: { limit: 60, windowSeconds: 900 },
  /** Mails with links to one e-mail address. Above the limit, the answer is the same, but no mail is sent. */
  linkMails: { limit: 3, windowSeconds: 3_600 },
  /** Wrong authenticator codes for one account, from one known browser or from one network. */
  secondFactor: { limit: 5, windowSeconds: 900 },
  secondFactorByPlace: { limit: 10, windowSeconds: 86_400 },
  /**
   * Wrong codes in a day. All known browsers of an account count together. All unknown browsers count together.
   */
  secondFactorByDay: { limit: 30, windowSeconds: 86_400 },
  /**
   * Wrong recovery codes per account and network. Recovery codes still work when the limit of authenticator
   * codes is reached.
   */
  recoveryCodes: { limit: 10, windowSeconds: 900 },
  /**
   * Reports of test sessions with one test key. Only `--dev` may switch this limit off; no setting changes it.
   * (rule T30)
   */
  sdkSession: { limit: 60, windowSeconds: 3_600 },
  /** Exchanges of codes for tokens. (rule S16) */
  exchangeByDevice: { limit: 30, windowSeconds: 900 },
  exchangeByAddress: { limit: 120, windowSeconds: 900 },
  /**
   * Refused requests without a credential. Each server process counts only its own requests, to protect its
   * processor time.
   */
  refusedBodiesByAddress: { limit: 300, windowSeconds: 60 },
  /**
   * Requests with a refused scope, header or body, per credential and network. Each server process counts only
   * its own requests.
   */
  refusedByCredential: { limit: 600, windowSeconds: 60 },
  /** Requests that wait until a device is approved. (rule S16) */
  awaitByDevice: { limit: 300, windowSeconds: 900 },
  /**
   * Requests from one network address that wait until a device is approved. This limit also applies to invented
   * device ids.
   */
  awaitByAddress: { limit: 1_200, windowSeconds: 900 },
  /** Attempts of the deprecated `register` from one network address. (rules S15, S16) */
  registrationsByAddress: { limit: 300, windowSeconds: 900 },
  /**
   * Refused `register` attempts from one network address. Each refusal reveals an account. Above the limit, all
   * attempts get 429. (rule S15)
   */
  refusedRegistrationsByAddress: { limit: 30, windowSeconds: 900 },
  /** Registrations of OAuth clients, for programs that connect. */
  clientsByAddress: { limit: 20, windowSeconds: 3_600 },
  /** Requests in which connected programs get or revoke tokens. */
  connectionsByAddress: { limit: 600, windowSeconds: 900 },
  /** New tokens of one connection. A program needs one token an hour. */
  refreshesByConnection: { limit: 60, windowSeconds: 3_600 },
  /**
   * Documents in which programs describe themselves before they connect (client metadata documents). The server
   * fetches them for one account.
   */
  clientDocuments: { limit: 60, windowSeconds: 3_600 },
  /** Invitations that one person creates. */
  newInvitations: { limit: 60, windowSeconds: 3_600 },
  /** Opened or accepted invitation links, counted for each account or for each IP address. */
  invitationsByAccount: { limit: 60, windowSeconds: 900 },
  invitationsByAddress: { limit: 120, windowSeconds: 900 },
  /** Saves of unsent drafts, counted for each account. A page saves every three seconds while a person types. */
  drafts: { limit: 120, windowSeconds: 60 },
  /** Exports of apps. They are limited, because each export reads all data of an app. */
  exports: { limit: 20, windowSeconds: 3_600 },
  testReports: { limit: 20, windowSeconds: 3_600 },
  imports: { limit: 20, windowSeconds: 3_600 },
  /** Reads of the events of an app. */
  events: { limit: 600, windowSeconds: 3_600 },
  /** Test events, and deliveries that a person sends again. */
  webhookSends: { limit: 120, windowSeconds: 3_600 },
  /** Requests for slots, and new test keys. (rule T32) */
  slotRequests: { limit: 120, windowSeconds: 3_600 },
  /** Proofs for one slot, and proofs of one account. (rule T31) */
  proofsBySlot: { limit: 12, windowSeconds: 3_600 },
  proofsByAccount: { limit: 120, windowSeconds: 3_600 },
} as const;

export type RateLimitName = keyof typeof rateLimits;

/** The limits on attempts at a secret: passwords, second factors, codes and tokens. (rule H16) */
export const secretLimits: ReadonlySet<RateLimitName> = new Set<RateLimitName>([
  ...(["signInByAccount", "signInByAddress", "signInByKnown", "signInByAllKnown"] as const),
  ...(["secondFactor", "secondFactorByPlace", "secondFactorByDay", "recoveryCodes"] as const),
  ...(["linksByAddress", "exchangeByDevice", "exchangeByAddress", "connectionsByAddress"] as const),
  ...(["invitationsByAccount", "invitationsByAddress"] as const),
]);
