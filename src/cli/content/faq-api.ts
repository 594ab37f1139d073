import type { Client } from "../../client/calls/call.ts";
import type { FaqChange, NewFaq } from "../../contract/faqs.ts";
import { appIdOf, goesThroughConsole } from "../core/input/app-id.ts";
import type { Invocation } from "../core/program/context.ts";

/** The FAQ of an app, through the API of the app or of its maintainer: the credentials decide. */
export async function faqApi(invocation: Invocation) {
  const client = invocation.client();
  return (await goesThroughConsole(invocation)) ? consoleFaqApi(invocation, client) : appFaqApi(client);
}

const appFaqApi = ({ faqs }: Client) => ({
  list: () => faqs.list(),
  create: (body: NewFaq) => faqs.create({ body }),
  update: (faqId: string, body: FaqChange) => faqs.update({ params: { faqId }, body }),
  remove: (faqId: string) => faqs.remove({ params: { faqId } }),
});

const consoleFaqApi = (invocation: Invocation, { consoleFaqs }: Client): ReturnType<typeof appFaqApi> => ({
  list: async () => consoleFaqs.list({ params: { appId: await appIdOf(invocation) } }),
  create: async (body) => consoleFaqs.create({ params: { appId: await appIdOf(invocation) }, body }),
  update: (faqId, body) => consoleFaqs.update({ params: { faqId }, body }),
  remove: (faqId) => consoleFaqs.remove({ params: { faqId } }),
});
