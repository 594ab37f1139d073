import type { VNode } from "preact";
import { BarePage } from "../../../console/bare-page.tsx";
import type { Links } from "../../../console/links.ts";
import { show } from "../../../console/reply.ts";
import type { DeviceSignInReply, DeviceSignInVisit } from "../device-visit.ts";

/** Shows a code for a person to copy to a terminal. From the address, only a well-formed code is shown. */
export async function codePage({ links, query }: DeviceSignInVisit): Promise<DeviceSignInReply> {
  return { reply: show(pageFor(links, query)), traits: { referrerPolicy: "no-referrer" } };
}

function pageFor(links: Links, query: URLSearchParams): VNode {
  const code = /^[\w-]{43}$/.exec(query.get("code") ?? "")?.[0];
  if (code !== undefined) return <Code links={links} code={code} />;
  return query.get("error") === "access_denied" ? <Refused links={links} /> : <Nothing links={links} />;
}

const Code = ({ links, code }: { readonly links: Links; readonly code: string }) => (
  <BarePage links={links} title="Your sign-in code">
    <div class="card stack">
      <h1>Approved</h1>
      <p>
        The device may have continued by itself. If it still asks for a code, paste this one there. It works
        once, within five minutes, and only on that device.
      </p>
      <div class="field">
        <label for="code">Code</label>
        <textarea class="code" id="code" rows={2} readOnly autocomplete="off" spellcheck={false}>
          {`\n${code}`}
        </textarea>
      </div>
      <div class="actions">
        <button class="primary" type="button" data-copies="code" hidden>
          Copy the code
        </button>
      </div>
      <p class="small muted">Do not give it to anybody. You can close this window afterwards.</p>
    </div>
  </BarePage>
);

const Refused = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="Refused">
    <div class="card stack">
      <h1>Refused</h1>
      <p>The device was not signed in. You can close this window.</p>
    </div>
  </BarePage>
);

const Nothing = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="No code">
    <div class="card stack">
      <h1>There is no code here</h1>
      <p>Start on the device that you want to sign in. It opens the page on which you approve it.</p>
    </div>
  </BarePage>
);
