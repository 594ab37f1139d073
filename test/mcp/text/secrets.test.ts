import { describe, expect, it } from "vitest";
import { secretIn } from "../../../mcp/refusals.ts";

// Assembled here, so that scanners do not report this file as a leak.
const of = (...parts: string[]) => parts.join("");
const letters = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOpQrStUvWxYz";

describe("the search for secrets in a text", () => {
  it.each([
    ["an Innkeep app key (sdk_…)", of("sdk", "_", letters.slice(0, 36))],
    ["an Innkeep device token (sdt_…)", of("sdt", "_", letters.slice(0, 36))],
    ["an Innkeep agent token (sda_…)", of("sda", "_", letters.slice(0, 36))],
    ["an Innkeep maintainer token (sdm_…)", of("sdm", "_", letters.slice(0, 36))],
    ["an Innkeep access token of a connection (sdo_…)", of("sdo", "_", letters.slice(0, 36))],
    ["an Innkeep refresh token of a connection (sdr_…)", of("sdr", "_", letters.slice(0, 36))],
    ["an Innkeep test key (stk_…)", of("stk", "_", letters.slice(0, 36))],
    ["a private key", of("-----BEGIN ", "OPENSSH PRIVATE KEY-----")],
    ["a private key", of("-----BEGIN ", "PRIVATE KEY-----")],
    ["a PuTTY private key", of("PuTTY-User-Key", "-File-3: ssh-ed25519")],
    ["a secret key for age encryption", of("AGE-SECRET-KEY", "-1QQPQ2FHXR8WLNUZ3W5T9PQQ")],
    ["an AWS access key id", of("AKIA", "IOSFODNN7EXAMPLE")],
    ["an AWS secret key", of("aws_secret", "_access_key = ", letters.slice(0, 40))],
    ["a GitHub token", of("ghp", "_", letters.slice(0, 36))],
    ["a GitHub token", of("github", "_pat_", letters.slice(0, 40))],
    ["a GitLab token", of("glpat", "-", letters.slice(0, 20))],
    ["an npm token", of("npm", "_", letters.slice(0, 36))],
    ["a PyPI token", of("pypi", "-", letters.slice(0, 40))],
    ["a Slack token", of("xoxb", "-1234567890-abcdefghij")],
    [
      "a Slack webhook",
      of("https://hooks.slack.com", "/services/T0AAAAAAA/B0AAAAAAA/", letters.slice(0, 24)),
    ],
    ["a Google API key", of("AIza", letters.slice(0, 35))],
    ["a Google OAuth secret", of("GOCSPX", "-", letters.slice(0, 28))],
    ["a Stripe key", of("sk", "_live_", letters.slice(0, 24))],
    ["an Anthropic or OpenAI key", of("sk", "-ant-api03-", letters.slice(0, 40))],
    ["a Hugging Face token", of("hf", "_", letters.slice(0, 34))],
    ["a SendGrid key", of("SG", ".", letters.slice(0, 22), ".", letters.slice(0, 43))],
    ["a Twilio key", of("SK", "0123456789abcdef0123456789abcdef")],
    ["a DigitalOcean token", of("dop", "_v1_", "0123456789abcdef".repeat(4))],
    ["an Azure storage key", of("Account", "Key=", letters, letters.slice(0, 29), "==")],
    ["a password or key as a variable (NAME_PASSWORD=…)", of("DATABASE_PASS", "WORD=hunter22")],
    ["a password or key as a variable (NAME_PASSWORD=…)", of("export STRIPE_API_", 'KEY="9fK2mQ"')],
    ["a JSON web token", of("eyJ", "hbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.", letters.slice(0, 43))],
    ["a bearer token", of("Authorization: ", "Bearer ", letters.slice(0, 32))],
    ["an address with a password in it", of("postgres://app:", "hunter22", "@db.internal/app")],
  ])("finds %s", (kind, secret) => {
    expect(secretIn(`Set the variable to "${secret}" and restart.`, [])).toBe(kind);
  });

  it.each([
    "Rotate the sdk_ key and the sda_ token in the console.",
    "See https://example.org/a:b@c and mail me at ann@example.org.",
    "git@github.com:owner/project.git, ssh://git@host:22/x",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "Change `Authorization: Bearer <TOKEN>` in the docs.",
    "Delete sk-nearby-stars and task_id_0123456789abcdef0123456789.",
    "id 0a9b8c7d-0000-4000-8000-00000000000a",
  ])("reports nothing for a text without a secret: %s", (text) => {
    expect(secretIn(text, [of("sda", "_", letters.slice(0, 36))])).toBeUndefined();
  });
});
