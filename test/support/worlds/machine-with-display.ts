import type { Context } from "../../../src/cli/core/context.ts";
import { createBrowserWithoutScripts } from "../browser/browser-without-scripts.ts";
import { type CommandLineOptions, createCommandLine } from "../clients/command-line.ts";
import { fakeKeychain } from "../clients/fake-keychain.ts";
import type { Service } from "../service/service.ts";
import { type Asking, codeOf } from "../sign-in/device-sign-in.ts";

/** The person types nothing. */
export const never = () => new Promise<string>(() => {});

/** A tester's machine with a display, and the tester, who performs the given steps in the browser. */
export async function createMachineWithDisplay(
  service: Service,
  { decision = "approve" }: Pick<Asking, "decision"> = {},
) {
  const person = await service.signIn(await service.makeUser());
  const keychain = fakeKeychain();
  const opened: URL[] = [];
  const openBrowser = async (url: string) => {
    opened.push(new URL(url));
    const visitor = createBrowserWithoutScripts(service, person);
    const page = await visitor.open(url.slice(service.baseUrl.length));
    await visitor.send(page, "/tavern/authorize", { decision });
  };
  const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, DISPLAY: ":0" });
  const world = { keychain: async () => keychain, openBrowser };
  const login = (argv: readonly string[] = [], options: CommandLineOptions = {}) =>
    line.run(["auth", "login", ...argv], {
      terminal: true,
      typed: never,
      ...options,
      world: { ...world, ...options.world },
    });
  return { line, login, keychain, opened, person, world };
}

/** The only secret in a keychain. */
export const tokenIn = (keychain: ReturnType<typeof fakeKeychain>): string | undefined =>
  keychain.entries()[0]?.[1];

/** A terminal on which the printed address can be read while the command still runs. */
export function readTerminal(ask: (question: string) => Promise<string> = never) {
  let found: (address: URL) => void = () => {};
  const address = new Promise<URL>((resolve) => {
    found = resolve;
  });
  const sink = { isTerminal: true, columns: 80, write: () => {} };
  const write = (text: string) => {
    const [url] = /http\S+authorize\S+/.exec(text) ?? [];
    if (url) found(new URL(url));
  };
  const io: Context["io"] = {
    stdin: { isTerminal: true, text: never, ends: () => new Promise(() => {}) },
    stdout: sink,
    stderr: { ...sink, write },
    ask,
    onKey: () => () => {},
  };
  return { io, address };
}

/** Approves the sign-in at an address, on any machine. Returns the code that the page shows. */
export async function approveAt(
  service: Service,
  address: URL,
  person: Record<string, string>,
): Promise<string> {
  const visitor = createBrowserWithoutScripts(service, person);
  const page = await visitor.open(address.pathname + address.search);
  return codeOf(await visitor.send(page, "/tavern/authorize", { decision: "approve" }));
}
