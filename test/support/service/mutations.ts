import { type AppWithAgent, submitFeedback } from "../worlds/app-with-owner-and-agent.ts";
import type { Answer } from "./request.ts";
import type { Service } from "./service.ts";

/** One change through the remote endpoints. */
export interface Mutation {
  readonly name: string;
  /**
   * Prepares an app, and returns the request: each call sends it, with another body or further headers if these are
   * passed.
   */
  prepare(service: Service, cast: AppWithAgent): Promise<Send>;
  /** A body other than the usual one; undefined if the endpoint has no body. */
  readonly other?: object;
  /** Whether a repetition has an effect beyond the first request. */
  readonly adds: boolean;
}

export type Send = (headers?: Record<string, string>, body?: object) => Promise<Answer>;

const faqs = "/api/v1/faqs/remote";
const faq = { question: "How?", answer: "So." };

const createFaq = async (service: Service, { key: headers }: AppWithAgent) =>
  (await service.request("POST", faqs, { headers, body: faq })).field("id");

/** Every mutating endpoint of feedback, FAQ and agent, and the release note of a version. */
export const mutations: readonly Mutation[] = [
  {
    name: "POST /api/v1/feedback/remote",
    adds: true,
    other: { type: "bug", message: "It hangs." },
    async prepare(service, { key }) {
      const usual = { type: "bug", message: "It crashes." };
      return (headers, body = usual) =>
        service.request("POST", "/api/v1/feedback/remote", { headers: { ...key, ...headers }, body });
    },
  },
  {
    name: "POST /api/v1/faqs/remote",
    adds: true,
    other: { ...faq, sortOrder: 7 },
    async prepare(service, { key }) {
      return (headers, body = faq) =>
        service.request("POST", faqs, { headers: { ...key, ...headers }, body });
    },
  },
  {
    name: "PUT /api/v1/faqs/remote",
    adds: true,
    other: { faqs: [faq] },
    async prepare(service, { key }) {
      const usual = { faqs: [faq, { ...faq, question: "Why?" }] };
      return (headers, body = usual) =>
        service.request("PUT", faqs, { headers: { ...key, "if-match": "*", ...headers }, body });
    },
  },
  {
    name: "PATCH /api/v1/faqs/remote/{faqId}",
    adds: false,
    other: { answer: "Not so." },
    async prepare(service, cast) {
      const path = `${faqs}/${await createFaq(service, cast)}`;
      return (headers, body = { answer: "Otherwise." }) =>
        service.request("PATCH", path, { headers: { ...cast.key, ...headers }, body });
    },
  },
  {
    name: "DELETE /api/v1/faqs/remote/{faqId}",
    adds: false,
    async prepare(service, cast) {
      const path = `${faqs}/${await createFaq(service, cast)}`;
      return (headers) => service.request("DELETE", path, { headers: { ...cast.key, ...headers } });
    },
  },
  {
    name: "POST /api/v1/agent/feedback/{id}/proposal",
    adds: true,
    other: { summary: "Remove the upload.", plan: "1. Delete it." },
    async prepare(service, cast) {
      const path = `/api/v1/agent/feedback/${await submitFeedback(service, cast)}/proposal`;
      const usual = { summary: "Guard the upload.", plan: "1. Check the size." };
      return (headers, body = usual) =>
        service.request("POST", path, { headers: { ...cast.agent, ...headers }, body });
    },
  },
  {
    name: "PUT /api/v1/console/apps/{appId}/changelog/by-version/{version}",
    adds: false,
    other: { title: "Other" },
    async prepare(service, { appId, person }) {
      const path = `/api/v1/console/apps/${appId}/changelog/by-version/1.0.0`;
      return (headers, body = { title: "Maps", publish: true }) =>
        service.request("PUT", path, { headers: { ...person, ...headers }, body });
    },
  },
];

/** Everything that the mutations of an app can have changed, except times. */
export async function stateOf({ deps: { database } }: Service, { appId }: AppWithAgent): Promise<string> {
  const threads = await database.all<{ id: string }>(
    "SELECT id FROM feedback WHERE app_id = ? ORDER BY id",
    appId,
  );
  const entries = await database.all(
    "SELECT id, question, answer, sort_order FROM faqs WHERE app_id = ? ORDER BY id",
    appId,
  );
  const runs = threads.map(({ id }) =>
    database.all("SELECT id, status, summary FROM runs WHERE feedback_id = ? ORDER BY id", id),
  );
  const notes = await database.all(
    "SELECT id, title, published_at FROM changelog_entries WHERE app_id = ? ORDER BY id",
    appId,
  );
  return JSON.stringify([threads, entries, notes, await Promise.all(runs)]);
}

export const keyed = (key: string) => ({ "idempotency-key": key });

export const isReplay = ({ headers }: Answer): boolean => headers.get("idempotent-replay") === "true";
