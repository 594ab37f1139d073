import type { Client } from "../../client/call.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import { type Route, routes } from "../../client/routes.ts";
import { contentOf, type Success } from "../../client/send.ts";
import { lazy } from "../../client/wait.ts";
import { canonicalLanguage, lookedForLanguages } from "../../contract/content-text.ts";
import type { Faq, FaqChange, ListedFaq, NewFaq, WantedFaq } from "../../contract/faqs.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf, goesThroughConsole, hasMaintainerToken, isId, wholeId } from "../core/ids.ts";
import { details } from "../core/output.ts";
import type { ServerEntry } from "./entry.ts";

/** Returns the whole id of an entry. The person may give only the first characters of the id. */
export const faqId = (api: Pick<FaqApi, "list">, given: string): Promise<string> =>
  wholeId(given, {
    thing: "FAQ entry",
    command: "innkeep faq list",
    list: async () => (await api.list()).map(({ id, question }) => ({ id, name: question })),
  });

/** Returns the entry with this id and the whole list. Throws a CliError if there is no such entry. */
export async function findFaq(api: Pick<FaqApi, "list">, given: string) {
  const faqs = await api.list();
  const id = await faqId({ list: async () => faqs }, given);
  const faq = faqs.find((one) => one.id.toLowerCase() === id);
  if (faq) return { faq, faqs };
  throw noFaq(given);
}

/** Returns the error for an entry that is not in the list. */
export const noFaq = (given: string): CliError =>
  new CliError({
    exit: "notFound",
    code: "not_found",
    message: `There is no FAQ entry ${given}.`,
    next: "`innkeep faq list` lists all.",
  });

/** Returns an entry as lines of text. Lists the languages of its translations. */
export const faqDetails = ({
  translations = {},
  ...faq
}: Faq & Partial<Pick<ListedFaq, "pushedHash" | "pushedSortOrder" | "translations">>): string =>
  details({ ...faq, languages: languagesIn(translations) });

/** Returns the languages of the translations as text, such as `de (outdated)`. Undefined if there are none. */
export const languagesIn = (
  translations: Readonly<Record<string, { readonly outdated: boolean }>>,
): string | undefined =>
  Object.entries(translations)
    .map(([language, { outdated }]) => (outdated ? `${language} (outdated)` : language))
    .join(", ") || undefined;

/** All entries, and the ETag of the list. A request that changes the list must contain this ETag. */
export interface TaggedList {
  readonly entries: readonly ServerEntry[];
  readonly etag: string | undefined;
  /** Whether the server stores hashes of the texts of the last push. Undefined for an empty list. */
  readonly keepsMarks: boolean | undefined;
}

/** Reads and changes the FAQ of an app, with an app key or a maintainer token. */
export interface FaqApi {
  /** Returns the id of the app. Undefined with an app key, because the server returns no id for the key. */
  app(): Promise<string | undefined>;
  /** Returns the entries. If a language is given, returns the texts that a user with this language gets. */
  list(lang?: string): ReturnType<Client["faqs"]["list"]>;
  read(): Promise<TaggedList>;
  /** Replaces the whole FAQ with this list. Fails if the FAQ no longer has this ETag. */
  replace(faqs: readonly WantedFaq[], etag: string): Promise<readonly ServerEntry[]>;
  create(body: NewFaq): Promise<Faq>;
  update(faqId: string, body: FaqChange): Promise<Faq>;
  remove(faqId: string): ReturnType<Client["faqs"]["remove"]>;
}

/**
 * Returns the functions that read and change the FAQ. The stored credentials and `--app` decide which API they
 * use.
 */
export async function faqApi(invocation: Invocation): Promise<FaqApi> {
  if (await goesThroughConsole(invocation)) return consoleFaqApi(invocation);
  const ofApp = appFaqApi(invocation);
  return (await hasMaintainerToken(invocation)) ? withConsole(ofApp, consoleFaqApi(invocation)) : ofApp;
}

/** Sends a request with the app key first, and after a refusal with the maintainer token. */
function withConsole(ofApp: FaqApi, ofConsole: FaqApi): FaqApi {
  const either = async <T>(act: (api: FaqApi) => Promise<T>): Promise<T> => {
    try {
      return await act(ofApp);
    } catch (error) {
      if (!isRefusedKey(error)) throw error;
      return act(ofConsole);
    }
  };
  const read = () => either((api) => api.read());
  /** Sends the list with the maintainer token. Throws `refusal` if the apps of token and key may differ. */
  const replaceWithToken = async (faqs: readonly WantedFaq[], etag: string, refusal: ServerError) => {
    const present = await read();
    // Somebody has changed the list after this command read it. A changed list must not be replaced.
    if (present.etag !== etag) throw changedList();
    // All empty lists have the same ETag, so the ETag does not identify the app.
    if (present.entries.length === 0) throw refusal;
    try {
      return await ofConsole.replace(faqs, etag);
    } catch (error) {
      const isStale = error instanceof ServerError && error.status === 412;
      // The console refused `etag`. If `read` still returns `etag`, the token and the key have different apps.
      throw isStale && (await read()).etag === etag ? refusal : error;
    }
  };
  /**
   * Creates an entry with the token. Throws `refusal` if no id is in both lists, because the apps may differ.
   */
  const createWithToken = async (body: NewFaq, refusal: ServerError) => {
    const [ofKey, ofToken] = [await ofApp.read(), await ofConsole.read()];
    const ids = new Set(ofKey.entries.map(({ id }) => id));
    if (!ofToken.entries.some(({ id }) => ids.has(id))) throw refusal;
    return ofConsole.create(body);
  };
  return {
    app: ofApp.app,
    list: (lang) => either((api) => api.list(lang)),
    read,
    replace: async (faqs, etag) => {
      try {
        return await ofApp.replace(faqs, etag);
      } catch (refusal) {
        if (!isRefusedKey(refusal)) throw refusal;
        return replaceWithToken(faqs, etag, refusal);
      }
    },
    create: async (body) => {
      try {
        return await ofApp.create(body);
      } catch (refusal) {
        if (!isRefusedKey(refusal)) throw refusal;
        return createWithToken(body, refusal);
      }
    },
    update: (faqId, body) => either((api) => api.update(faqId, body)),
    remove: (faqId) => either((api) => api.remove(faqId)),
  };
}

/** Whether the server refused a request because app keys do not allow this request. */
const isRefusedKey = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "insufficient_scope";

/** Returns the same error as a server that refuses to replace a changed list. */
const changedList = (): ServerError =>
  new ServerError({
    status: 412,
    code: "precondition_failed",
    message: "The FAQ has changed since it was read. Nothing was pushed.",
  });

function appFaqApi(invocation: Invocation): FaqApi {
  const { faqs } = invocation.client();
  return {
    app: async () => undefined,
    list: (lang) => faqs.list({ query: { lang } }),
    read: async () => {
      const list = async (include: "translations" | "push") =>
        taggedList(await invocation.sender()(routes.faqs.list, { query: { include } }), routes.faqs.list);
      try {
        return await list("translations");
      } catch (error) {
        // A server that stores no translations refuses `include=translations`, so the list is requested with
        // `include=push`.
        if (!(error instanceof ServerError) || error.status !== 400) throw error;
        return list("push");
      }
    },
    replace: async (wanted, ifMatch) =>
      (await faqs.replace({ body: { faqs: [...wanted] }, ifMatch })).map(serverEntry),
    create: (body) => faqs.create({ body }),
    update: (faqId, body) => faqs.update({ params: { faqId }, body }),
    remove: (faqId) => faqs.remove({ params: { faqId } }),
  };
}

function consoleFaqApi(invocation: Invocation): FaqApi {
  const { consoleFaqs } = invocation.client();
  const app = lazy(() => appIdOf(invocation));
  const inApp = async () => ({ params: { appId: await app() } });
  return {
    app,
    list: async (lang) => {
      const list = await consoleFaqs.list(await inApp());
      return lang === undefined ? list : list.map((faq) => inLanguage(faq, lang));
    },
    read: async () =>
      taggedList(await invocation.sender()(routes.consoleFaqs.list, await inApp()), routes.consoleFaqs.list),
    replace: async (wanted, ifMatch) => {
      const input = { ...(await inApp()), body: { faqs: [...wanted] }, ifMatch };
      return (await consoleFaqs.replace(input)).map(serverEntry);
    },
    create: async (body) => consoleFaqs.create({ ...(await inApp()), body }),
    update: (faqId, body) => consoleFaqs.update({ params: { faqId }, body }),
    remove: (faqId) => consoleFaqs.remove({ params: { faqId } }),
  };
}

function taggedList(success: Success, route: Route): TaggedList {
  const content = contentOf(success, route);
  const entries: unknown[] = Array.isArray(content) ? content : [];
  const [first] = entries;
  refuseUnusable(success, entries);
  return {
    entries: entries.map(serverEntry),
    etag: success.headers.etag,
    keepsMarks: first === undefined ? undefined : Object.hasOwn(Object(first), "pushedHash"),
  };
}

/**
 * Throws an UnexpectedAnswerError for an invalid entry. An invalid answer must never change or delete a file.
 */
function refuseUnusable({ status, request }: Success, entries: readonly unknown[]): void {
  const known = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    const { id, question, answer, sortOrder } = Object(entry);
    const isUsable =
      typeof id === "string" &&
      isId(id) &&
      typeof question === "string" &&
      typeof answer === "string" &&
      Number.isSafeInteger(sortOrder ?? 0);
    if (isUsable && !known.has(id.toLowerCase())) {
      known.add(id.toLowerCase());
      continue;
    }
    const what = isUsable
      ? `has the id of another element`
      : "is not an entry with an id, a question and an answer";
    throw new UnexpectedAnswerError(
      status,
      `The FAQ of ${request.url.origin} cannot be used: element ${at + 1} of the list ${what}. Nothing was changed.`,
    );
  }
}

/** Returns an entry with the text that a user with this language gets. */
function inLanguage({ translations, ...faq }: ListedFaq, wanted: string) {
  const language = lookedForLanguages(wanted).find((tag) => Object.hasOwn(translations, tag)) ?? null;
  const { question, answer } = (language === null ? undefined : translations[language]) ?? faq;
  return { ...faq, question, answer, language };
}

/**
 * Returns the translations in the answer of a server. Omits a language that is not a canonical language tag.
 */
function translationsIn(value: unknown): ServerEntry["translations"] {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([language, text]) => {
      const { question, answer, pushedHash } = Object(text);
      const isText = typeof question === "string" && typeof answer === "string";
      if (!isText || canonicalLanguage(language) !== language) return [];
      const hash = typeof pushedHash === "string" ? pushedHash : undefined;
      return [[language, { question, answer, pushedHash: hash }]];
    }),
  );
}

/** Converts an entry in the answer of a server. */
function serverEntry(value: unknown): ServerEntry {
  const { id, question, answer, sortOrder, pushedHash, pushedSortOrder, translations } = Object(value);
  return {
    translations: translationsIn(translations),
    id: String(id).toLowerCase(),
    question: String(question ?? ""),
    answer: String(answer ?? ""),
    sortOrder: Number(sortOrder ?? 0),
    pushedHash: typeof pushedHash === "string" ? pushedHash : undefined,
    pushedSortOrder: typeof pushedSortOrder === "number" ? pushedSortOrder : undefined,
  };
}
