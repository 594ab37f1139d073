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
  /** The most tags of one thread, and of one app. */
  threadTags: 20,
  appTags: 500,
  /**
   * The most days of a period, threads and versions in statistics, versions that are counted in a day, and where the
   * count of open threads ends.
   */
  statistics: { days: 366, top: 10, versions: 20, versionsOfDay: 100, open: 10_000 },
  /**
   * The limits, in minutes, of the ranges in which waiting times are counted. Longer times are in one further range.
   * (rule F61)
   */
  waits: [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 4_320, 10_080, 43_200],
  savedReplyTitle: 100,
  savedReplies: 200,
  blockedSenders: 1_000,
  /** Texts of unsent forms that are kept for a person, and the characters of all their sealed texts. (rule O17) */
  drafts: { count: 200, length: 4_000_000 },
  /** The maximum number of files in one body, in all fields together. */
  bodyFiles: 32,
  dedupeKey: 200,
  dedupeScope: 300,
  dedupeRun: 200,
  /** How many tests a report can summarise. Its thread is resolved when all of them have passed. */
  dedupeParts: 5_000,
  /** How many failures whose test passed one request can name. */
  passedFailures: 5_000,
  /** How many failures one request resolves. The limit is low, because the request is one transaction. */
  resolvedAtOnce: 200,
  /** How many views a person sees in an app, and the most threads that are counted for one. */
  views: 100,
  viewName: 60,
  viewCount: 500,
  /** How many threads a bulk change names at most, and how many its filters find. */
  bulkIds: 200,
  bulkFound: 5_000,
  /** The most apps whose notices one request changes. */
  noticeApps: 100,
  /** For how many days at most a thread is snoozed. */
  snoozeDays: 366,
  /** For how many days a merge of threads can be undone. */
  unmergeDays: 30,
  /** The most messages of a thread that is merged into another one. */
  mergedMessages: 2_000,
  /** How many threads can be merged into a thread, directly or through other threads. */
  mergedThreads: 10_000,
  /** How many merges can follow each other: a thread into a second one, that one into a third one. */
  mergeDepth: 100,
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
  /** The most hours for which an approval can be valid: a year. */
  approvalHours: 8_760,
  /** The maximum number of days for which resolved threads can be kept: a hundred years. */
  retentionDays: 36_500,
  changelogTitle: 200,
  changelogBody: 100_000,
  changelogItems: 200,
  changelogItem: 1_000,
  /** The most threads that a release note can name. */
  changelogFeedback: 200,
  /** The translations of an entry of the FAQ or of a release note. */
  languages: 20,
  /** All translations of an entry or a note together, as JSON. */
  translations: MB,
  /** The characters of a language tag. */
  language: 35,
  /** The search in the release notes of an app. */
  contentSearch: 200,
  version: 100,
  platform: 100,
  platformVersions: 20,
  /** The largest signed 32-bit integer. */
  sortOrder: { min: -2_147_483_648, max: 2_147_483_647 },
  metadataKeys: 50,
  metadataBytes: 16_384,
  metadataDepth: 5,
  /** How many faults, or parts that were left out, one answer names. */
  namedFaults: 20,
  namedDrops: 20,
  fileName: 200,
  label: 100,
  appName: 100,
  url: 2_000,
  /** The most open invitations of an app. */
  invitations: 100,
  /** Characters of a password. (rule S1) */
  password: { min: 8, max: 200 },
  /** The most characters of a code that a person types. */
  factorCode: 100,
  /** The most characters of the answer of an authenticator. */
  passkeyBytes: 8_000,
  /** The sealed first step of a sign-in. */
  signInStep: 2_000,
  contentPictures: 12 * MB,
  /** The most earlier texts of an FAQ entry or a release note. */
  contentVersions: 50,
  changelogPage: { default: 20, max: 50 },
  listPage: { default: 50, max: 100 },
  /** The length of a page in a list for an agent. It is short, because the agent's model reads every line. */
  agentPage: { default: 20, max: 50 },
  /** The console counts only up to this number, because counting reads every row. */
  mostCounted: 99,
  /** Old threads that a person may want to delete are counted only up to this number. */
  oldThreadsCounted: 1_000,
  /** The most characters of a position in the order of changes. On PostgreSQL it names each running transaction. */
  changesToken: 6_000,
  waitSeconds: 55,
  /** The most browsers that show notices to a person. */
  noticeBrowsers: 20,
  /** The most webhooks of an app. */
  webhooks: 20,
  /** The most characters of a receiver's answer that the log keeps. */
  webhookAnswer: 500,
  /** How many events one request sends again. */
  replayedEvents: 10_000,
  /** The most hours for which the old secret of a webhook stays valid. */
  oldSecretHours: 168,
  /** The most characters of a position in the list of events. */
  eventsPosition: 200,
  /**
   * The longest wait of a long poll. A poll that waits for all of it without a result does not count for the rate
   * limit. (rule A9)
   */
  freeWaitSeconds: 20,
  /**
   * How many of its newest messages an answer with a thread has. Without a limit, a failure that is repeated for months
   * would be too long to read. (rule F19)
   */
  threadMessages: 500,
  threadProposals: 100,
  /** Bytes of a JSON body. (rule H19) */
  json: MB,
  /** A report without its files. Metadata over its limit is left out. */
  jsonWithMetadata: 4 * MB,
  /** The most entries, and the most bytes, of a whole FAQ in one request. */
  listedFaqs: 10_000,
  faqList: 32 * MB,
  /** The limit for requests without a credential. */
  anonymousBody: 32_768,
  /** If all files are as large as allowed, their base64 has 54.7 MB; line ends and escapes make it longer. */
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

/**
 * The pictures that one request can add for FAQ entries and release notes. They have the limits of feedback. (rule C26)
 */
export const contentPictures = feedbackFiles.images;

/** The images of a proof. (rule T29) */
export const proofImages = { most: 6, bytes: 5 * MB, types: imageTypes } as const;

/** A file for an import. Its bytes show no media type, because it is not a picture or a document. */
export const importedFile = { bytes: 4_096 * MB } as const;

/** Sliding windows: the number of requests in a number of seconds. */
export const rateLimits = {
  feedback: { limit: 120, windowSeconds: 60 },
  /**
   * Reports that are added to an existing thread. More of them are allowed, because a repeated failure needs few bytes.
   * (rule F11)
   */
  feedbackRepeats: { limit: 1_200, windowSeconds: 60 },
  faqWrites: { limit: 120, windowSeconds: 60 },
  /** Reads of an agent token. (rule A13) */
  agentReads: { limit: 600, windowSeconds: 3_600 },
  proposals: { limit: 60, windowSeconds: 3_600 },
  /** Requests that claim a plan, or report its progress or outcome. (rule A13) */
  runWork: { limit: 600, windowSeconds: 3_600 },
  /**
   * Failed sign-ins, counted for each pair of account and IP address, so that a stranger cannot lock out people at
   * other addresses. (rule S17)
   */
  signInByAccount: { limit: 10, windowSeconds: 900 },
  signInByAddress: { limit: 30, windowSeconds: 900 },
  /** Failed sign-ins of one browser or device that has signed in to the account before. */
  signInByKnown: { limit: 30, windowSeconds: 900 },
  /**
   * Failed sign-ins of all known browsers of an account together. A separate limit for each browser is not enough: a
   * person who knows an old password can have any number of known browsers.
   */
  signInByAllKnown: { limit: 120, windowSeconds: 900 },
  /** Requests for mailed links, and uses of such links. */
  linksByAddress: { limit: 60, windowSeconds: 900 },
  /** Mails with links to one address. Mails beyond the limit are not sent, without a message to anybody. */
  linkMails: { limit: 3, windowSeconds: 3_600 },
  /**
   * Wrong codes of an authenticator app, counted for each account and each known browser or device, or for each account and
   * network if the browser is unknown. Only a person who has the first factor can send a code.
   */
  secondFactor: { limit: 5, windowSeconds: 900 },
  secondFactorByPlace: { limit: 10, windowSeconds: 86_400 },
  /** Wrong codes of all known browsers and devices of an account together, and of all unknown ones together. */
  secondFactorByDay: { limit: 30, windowSeconds: 86_400 },
  /**
   * Wrong recovery codes, counted for each account and network. The limit is separate, so that a recovery code still
   * works when the limit of wrong app codes is reached.
   */
  recoveryCodes: { limit: 10, windowSeconds: 900 },
  /** No setting changes this limit. Only a server with `--dev` can switch it off. (rule T30) */
  sdkSession: { limit: 60, windowSeconds: 3_600 },
  /** Exchanges of codes for tokens. (rule S16) */
  exchangeByDevice: { limit: 30, windowSeconds: 900 },
  exchangeByAddress: { limit: 120, windowSeconds: 900 },
  /**
   * Requests without a credential whose headers or body are refused. Each server process counts only its own, because
   * they cost its time.
   */
  refusedBodiesByAddress: { limit: 300, windowSeconds: 60 },
  /**
   * Requests with a credential whose scope, headers or body are refused, counted for each credential and network. Each
   * server process counts only its own.
   */
  refusedByCredential: { limit: 600, windowSeconds: 60 },
  awaitByDevice: { limit: 300, windowSeconds: 900 },
  /** Anyone can name any device, so this limits how much data the server stores and writes because of one sender. */
  awaitByAddress: { limit: 1_200, windowSeconds: 900 },
  registrationsByAddress: { limit: 300, windowSeconds: 900 },
  /** Refused registrations. They are limited, because each refusal shows that an e-mail address has an account. */
  refusedRegistrationsByAddress: { limit: 30, windowSeconds: 900 },
  /** Registrations of programs that want to connect. */
  clientsByAddress: { limit: 20, windowSeconds: 3_600 },
  /** Requests in which connected programs get tokens or give them back. */
  connectionsByAddress: { limit: 600, windowSeconds: 900 },
  /** New tokens of one connection. A program needs one token an hour. */
  refreshesByConnection: { limit: 60, windowSeconds: 3_600 },
  /** Documents about programs that the server fetches for one account. */
  clientDocuments: { limit: 60, windowSeconds: 3_600 },
  /** Invitations that one person creates. */
  newInvitations: { limit: 60, windowSeconds: 3_600 },
  /** Invitation links that one account, or one IP address, opens or accepts. */
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
  /** Test events, and repeats of deliveries. */
  webhookSends: { limit: 120, windowSeconds: 3_600 },
  /** Requests for slots, and new test keys. (rule T32) */
  slotRequests: { limit: 120, windowSeconds: 3_600 },
  /** Rule T31. */
  proofsBySlot: { limit: 12, windowSeconds: 3_600 },
  proofsByAccount: { limit: 120, windowSeconds: 3_600 },
} as const;

export type RateLimitName = keyof typeof rateLimits;
