import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

type Texts = Readonly<Record<string, string>>;

/** Saves texts as drafts on the server, as the script of a page does. `more` contains further values. */
export function saveDraft(
  service: Pick<Service, "baseUrl" | "request">,
  headers: Readonly<Record<string, string>>,
  { page, texts, more = {} }: { readonly page: string; readonly texts: Texts; readonly more?: Texts },
): Promise<Answer> {
  const body = new URLSearchParams({ page, "draft-form": page, "draft-writer": "writer0001", ...more });
  for (const [field, text] of Object.entries(texts)) {
    body.append("field", field);
    body.append("text", text);
    body.append("was", "");
  }
  return service.request("POST", "/console/drafts/save", {
    headers: { origin: service.baseUrl, "content-type": "application/x-www-form-urlencoded", ...headers },
    body: body.toString(),
  });
}
