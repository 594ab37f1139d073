// Checks the messages for chats with published types of their bodies: `node test/counterparts/chat/main.mjs`. It needs
// the npm registry.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createReport, run } from "../programs.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { report, end } = createReport();

/** The packages with the types, and the type of a body in each. */
const packages = [
  "discord-api-types@0.38.57",
  "@grammyjs/types@5.0.0",
  "@slack/types@3.2.0",
  "adaptivecards@3.0.6",
];
const types = {
  discord: 'import("discord-api-types/v10").RESTPostAPIWebhookWithTokenJSONBody',
  telegram: 'Parameters<import("@grammyjs/types").ApiMethods<unknown>["sendMessage"]>[0]',
  slack: 'Pick<import("@slack/types").MessageAttachment, "text">',
};
const addresses = {
  discord: "https://discord.example/api/webhooks/1/x",
  telegram: "https://api.telegram.org/bot1:a/sendMessage?chat_id=-100200",
  slack: "https://hooks.slack.example/x",
  teams: "https://teams.example/x",
};

/** Returns what is wrong with a message. */
const faulty = {
  discord: { allowed_mentions: { parse: ["nobody"] } },
  telegram: { link_preview_options: { is_disabled: "yes" } },
  slack: { text: 1 },
};

const folder = await mkdtemp(join(tmpdir(), "innkeep-chat-"));
try {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const install = [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    ...packages,
  ];
  const installed = await run("npm", install, { cwd: folder });
  report("the types", installed.code === 0 ? [] : [installed.stderr]);
  const bodies = await bodiesOf(folder);
  for (const [format, type] of Object.entries(types)) {
    report(`${format} takes the message`, await faultsOf(format, type, bodies[format]));
    const wrong = JSON.stringify({ ...JSON.parse(bodies[format]), ...faulty[format] });
    const found = await faultsOf(`${format}-wrong`, type, wrong);
    report(`${format} refuses a wrong one`, found.length > 0 ? [] : ["it takes it"]);
  }
  report("teams reads the card", await cardFaults(JSON.parse(bodies.teams).attachments[0].content));
  report(
    "teams refuses a wrong card",
    (
      await cardFaults({
        type: "AdaptiveCard",
        version: "1.2",
        body: [{ type: "RichTextBlock", inlines: [{ type: "Unknown" }] }, { type: "Nothing" }],
      })
    ).length > 0
      ? []
      : ["it takes it"],
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
end();

/** Returns the body that the server creates for a proposal, for each format. */
async function bodiesOf(folder) {
  const outfile = join(folder, "rules.mjs");
  const entry = join(root, "server/feedback/chat/rules.ts");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const { chatPost, proposalMessage } = await import(pathToFileURL(outfile).href);
  const message = proposalMessage({
    app: { id: "1", name: "Larder" },
    ...{ subject: "Crash", summary: "Guard it.", link: "https://innkeep.example/console" },
  });
  return Object.fromEntries(
    Object.entries(addresses).map(([format, address]) => [format, chatPost(format, message, address).body]),
  );
}

/** Returns the errors of the compiler for a body that must have a type. */
async function faultsOf(name, type, body) {
  await writeFile(join(folder, `${name}.ts`), `const body: ${type} = ${body};\nexport default body;\n`);
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck"];
  const options = [
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--lib",
    "es2023,dom",
    "--types",
    "",
    `${name}.ts`,
  ];
  const { code, stdout } = await run(process.execPath, [...tsc, ...options], { cwd: folder });
  return code === 0 ? [] : stdout.trim().split("\n");
}

/** Returns the errors of the library of Adaptive Cards for a card. */
async function cardFaults(card) {
  const program = `import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const { AdaptiveCard, SerializationContext, Versions } = require("adaptivecards/dist/adaptivecards.js");
    const card = new AdaptiveCard();
    const context = new SerializationContext(Versions.v1_2);
    card.parse(${JSON.stringify(card)}, context);
    const events = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
    const count = card.getItemCount() - ${card.body.length};
    process.stdout.write(JSON.stringify(count === 0 ? events : [...events, "It lost " + -count]));`;
  await writeFile(join(folder, "card.mjs"), program);
  const { code, stdout, stderr } = await run(process.execPath, ["card.mjs"], { cwd: folder });
  return code === 0 ? JSON.parse(stdout) : [stderr];
}
