import type { ComponentChildren } from "preact";
import type { Frame, Tab } from "../frame.ts";
import { Brand } from "./brand.tsx";
import { Document } from "./document.tsx";
import { DoneNotice } from "./notice.tsx";
import { Once } from "./once.tsx";
import { Line } from "./written.tsx";

export interface FramedProps {
  readonly frame: Frame;
  readonly title: string;
  /** For pages of forms and reading, which long lines would make hard. */
  readonly narrow?: boolean;
  readonly children: ComponentChildren;
}

/** A page of the console with the bar above it, and the tabs of its app. */
export const Framed = ({ frame, title, narrow = false, children }: FramedProps) => (
  <Document links={frame.links} title={frame.app ? `${title} · ${frame.app.name}` : title}>
    <header class="top">
      <div class="bar">
        <Brand links={frame.links} />
        {frame.apps.length > 0 && <AppMenu frame={frame} />}
        <div class="end">
          <a href={frame.links.home} aria-current={frame.tab === "decisions" ? "page" : undefined}>
            Decisions
            {frame.waiting > 0 && <Waiting count={frame.waiting} />}
          </a>
          <AccountMenu frame={frame} />
        </div>
      </div>
      {frame.app && <Tabs frame={frame} appId={frame.app.id} />}
    </header>
    <main class={narrow ? "middle narrow" : "middle"} id="main" tabIndex={-1}>
      <DoneNotice done={frame.done} />
      {children}
    </main>
  </Document>
);

const Waiting = ({ count }: { readonly count: number }) => (
  <span class="count">
    {count}
    <span class="unseen">{count === 1 ? "proposal waits" : "proposals wait"}</span>
  </span>
);

const AppMenu = ({ frame: { links, apps, app } }: { readonly frame: Frame }) => (
  <>
    <span class="slash" aria-hidden="true">
      /
    </span>
    <details class="menu">
      <summary>
        <span class="unseen">App:</span>
        <span class="name">{app ? <Line text={app.name} /> : "All apps"}</span>
      </summary>
      <nav class="panel" aria-label="Apps">
        {apps.map(({ id, name }) => (
          <a key={id} href={links.inbox(id)} aria-current={id === app?.id ? "true" : undefined}>
            <Line text={name} />
          </a>
        ))}
        <div class="apart">
          <a href={links.newApp}>New app</a>
        </div>
      </nav>
    </details>
  </>
);

const AccountMenu = ({ frame: { links, email } }: { readonly frame: Frame }) => (
  <details class="menu right">
    <summary aria-label={`Account ${email}`}>
      <span class="avatar" aria-hidden="true">
        {email.slice(0, 1).toUpperCase()}
      </span>
    </summary>
    <nav class="panel" aria-label="Account">
      <p class="who">
        Signed in as <br />
        <Line text={email} />
      </p>
      <a href={links.tokens}>Tokens</a>
      <a href={links.audit}>Audit log</a>
      <form class="apart" method="post" action={links.signOut}>
        <Once />
        <button class="plain" type="submit">
          Sign out
        </button>
      </form>
    </nav>
  </details>
);

type AppTab = Exclude<Tab, "decisions">;

const tabs: readonly [AppTab, string][] = [
  ["inbox", "Inbox"],
  ["faqs", "FAQ"],
  ["changelog", "Changelog"],
  ["settings", "Settings"],
];

const Tabs = ({ frame: { links, tab }, appId }: { readonly frame: Frame; readonly appId: string }) => {
  const addresses: Record<AppTab, string> = {
    inbox: links.inbox(appId),
    faqs: links.faqs(appId),
    changelog: links.changelog(appId),
    settings: links.app(appId),
  };
  return (
    <nav class="tabs" aria-label="This app">
      <ul>
        {tabs.map(([name, label]) => (
          <li key={name}>
            <a href={addresses[name]} aria-current={tab === name ? "page" : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};
