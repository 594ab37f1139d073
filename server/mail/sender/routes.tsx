import type { Context } from "koa";
import type { ApiError } from "../../../src/contract/errors.ts";
import { refuseForeignForm } from "../../console/browser-request.ts";
import { answerWithErrorPage, showErrorPage } from "../../console/error-page.tsx";
import { readForm } from "../../console/form-values.tsx";
import { consolePathOf, createLinks, type Links } from "../../console/links.ts";
import { goTo, type Reply, reshowForm, show } from "../../console/reply.ts";
import { createRespond } from "../../console/respond.ts";
import type { Deps } from "../../deps.ts";
import { senderOf } from "../../http/body/incoming-body.ts";
import { answerErrors } from "../../http/errors.ts";
import type { RequestSteps, Route } from "../../http/mount.ts";
import { createSenderPages, type SenderPages } from "./api.ts";
import { statusPath } from "./links.ts";
import { MailStopped, NoSenderPage, Sender, StopMail } from "./page.tsx";

type PageWork = (ctx: Context, token: string) => Promise<Reply<string>>;

/** What a refused form is shown with again. */
interface Refused {
  readonly typed: string;
  readonly refusal: ApiError;
}

/** The page on which the sender of a report reads replies and answers. No search engine lists it. (rules M8, M9, M11) */
export function senderPageRoutes(
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "sealer" | "settings">,
  steps: RequestSteps,
): Route[] {
  const { settings } = deps;
  const pages = createSenderPages(deps);
  const respond = createRespond(settings, steps);
  const links = createLinks(consolePathOf(settings).href);
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "") + statusPath;
  const orErrorPage = answerErrors(
    deps,
    answerWithErrorPage({ settings, steps }, (ctx, error) =>
      error.code === "not_found"
        ? show(<NoSenderPage links={links} />, 404)
        : showErrorPage(links, error, { requestId: String(ctx.state.requestId), typed: [] }),
    ),
  );

  const shown = async (ctx: Context, token: string, refused?: Refused): Promise<Reply> => {
    const page = await pages.read(token);
    const isAnswered = new URLSearchParams(ctx.querystring).has("done");
    const form = {
      action: `${base}/${token}`,
      once: deps.newId(),
      typed: "",
      refusal: undefined,
      ...refused,
    };
    return show(<Sender {...{ links, page, isAnswered }} {...form} />, refused?.refusal.status);
  };

  const answer = async (ctx: Context, token: string): Promise<Reply<"answered">> => {
    refuseForeignForm(steps.readCredentials(ctx, true), settings);
    const sending = { arrivals: steps.arrivals, sender: senderOf(undefined, steps.addressOf(ctx.req)) };
    const fields = await readForm(ctx.req, sending);
    const typed = fields.text("answer");
    return reshowForm(
      async () => {
        await pages.answer({ token, text: typed, id: fields.text("once") });
        return goTo(`${base}/${token}`, "answered");
      },
      (refusal) => shown(ctx, token, { typed, refusal }),
    );
  };

  const stop = createStopPages(pages, links, base);

  const route = (method: "GET" | "POST", work: PageWork, part = ""): Route => ({
    method,
    path: `${statusPath}/:token${part}`,
    answer: (ctx, { token = "" }) =>
      orErrorPage(ctx, async () => {
        ctx.set("X-Robots-Tag", "noindex, nofollow");
        await respond(ctx, await work(ctx, token));
      }),
  });
  return [
    route("GET", (ctx, token) => shown(ctx, token)),
    route("POST", answer),
    route("GET", stop.ask, "/stop"),
    route("POST", stop.stop, "/stop"),
  ];
}

/** The pages that end automatic mail. */
const createStopPages = (pages: SenderPages, links: Links, base: string) => ({
  ask: async (_ctx: Context, token: string): Promise<Reply> => {
    const { appName } = await pages.read(token);
    return show(<StopMail links={links} appName={appName} action={`${base}/${token}/stop`} />);
  },

  /** One click in a mail program sends no origin: the token alone allows it. (RFC 8058) */
  stop: async (_ctx: Context, token: string): Promise<Reply> => {
    await pages.stopMail(token);
    return show(<MailStopped links={links} />);
  },
});
