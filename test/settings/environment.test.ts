import { describe, expect, it } from "vitest";
import { readSettings } from "../../server/settings/read-settings.ts";
import { SettingError } from "../../server/settings/settings.ts";

describe("the settings of a server", () => {
  it("have as defaults 127.0.0.1:4700, data in ./.innkeep, and the console below the base address", () => {
    expect(readSettings({}, {})).toMatchObject({
      host: "127.0.0.1",
      port: 4700,
      data: "./.innkeep",
      baseUrl: "http://127.0.0.1:4700",
      consoleUrl: "http://127.0.0.1:4700/console",
      databaseUrl: undefined,
      databasePool: 10,
      rateLimited: true,
    });
  });

  it("are read from flags, then from the environment", () => {
    const environment = { INNKEEP_PORT: "5000", INNKEEP_DATA: "/var/innkeep" };
    expect(readSettings({ port: 6000 }, environment)).toMatchObject({ port: 6000, data: "/var/innkeep" });
  });

  it("read space limits from a list, and keep the defaults of the other limits", () => {
    const { budgets } = readSettings({}, {});
    const environment = { INNKEEP_BUDGETS: "connections=5, headMilliseconds=100" };
    expect(readSettings({}, environment).budgets).toEqual({
      ...budgets,
      connections: 5,
      headMilliseconds: 100,
    });
  });

  it("read the number of connections to PostgreSQL", () => {
    expect(readSettings({}, { INNKEEP_DATABASE_POOL: "500" }).databasePool).toBe(500);
  });

  it("remove a slash at the end of an address", () => {
    expect(readSettings({ baseUrl: "https://inn.example/api/" }, {}).baseUrl).toBe("https://inn.example/api");
  });

  it.each([
    ["INNKEEP_PORT", { INNKEEP_PORT: "http" }],
    ["INNKEEP_PORT", { INNKEEP_PORT: "70000" }],
    ["INNKEEP_BASE_URL", { INNKEEP_BASE_URL: "inn.example" }],
    ["INNKEEP_BASE_URL", { INNKEEP_BASE_URL: "ftp://inn.example" }],
    ["INNKEEP_BASE_URL", { INNKEEP_BASE_URL: "https://:hunter2@inn.example" }],
    ["INNKEEP_CONSOLE_URL", { INNKEEP_CONSOLE_URL: "https://inn.example/?x=1" }],
    ["INNKEEP_DATABASE_URL", { INNKEEP_DATABASE_URL: "mysql://db" }],
    ["INNKEEP_DATABASE_POOL", { INNKEEP_DATABASE_POOL: "0" }],
    ["INNKEEP_DATABASE_POOL", { INNKEEP_DATABASE_POOL: "501" }],
    ["INNKEEP_DATABASE_POOL", { INNKEEP_DATABASE_POOL: "1.5" }],
    ["INNKEEP_RATE_LIMITS", { INNKEEP_RATE_LIMITS: "maybe" }],
    ["INNKEEP_RATE_LIMITS", { INNKEEP_RATE_LIMITS: "feedback=0/60" }],
    ["INNKEEP_RATE_LIMITS", { INNKEEP_RATE_LIMITS: "feedback=1/60,unheard=1/60" }],
    ["INNKEEP_RATE_LIMITS", { INNKEEP_RATE_LIMITS: "sdkSession=1/60" }],
    ["INNKEEP_RATE_LIMITS", { INNKEEP_RATE_LIMITS: "constructor=1/60" }],
    ["INNKEEP_BUDGETS", { INNKEEP_BUDGETS: "connections=0" }],
    ["INNKEEP_BUDGETS", { INNKEEP_BUDGETS: "connections=5,unheard=1" }],
    ["INNKEEP_CORS_ORIGINS", { INNKEEP_CORS_ORIGINS: "https://a.example/path" }],
    ["INNKEEP_TRUSTED_PROXIES", { INNKEEP_TRUSTED_PROXIES: "10.0.0.1" }],
    ["INNKEEP_TRUSTED_PROXIES", { INNKEEP_TRUSTED_PROXIES: "999.0.0.0/8" }],
    ["INNKEEP_TRUSTED_PROXIES", { INNKEEP_TRUSTED_PROXIES: "10.0.0.0/99" }],
    ["INNKEEP_PRIVATE_WEBHOOKS", { INNKEEP_PRIVATE_WEBHOOKS: "yes" }],
    ["INNKEEP_LOG_LEVEL", { INNKEEP_LOG_LEVEL: "loud" }],
  ])("prevent the start if they are wrong, and the message names %s", (name, environment) => {
    expect(() => readSettings({}, environment)).toThrow(SettingError);
    expect(() => readSettings({}, environment)).toThrow(name);
    expect(() => readSettings({}, environment)).not.toThrow("hunter2");
  });

  it("treat an empty variable as missing", () => {
    const names = ["HOST", "PORT", "DATA", "DATABASE_URL", "BASE_URL", "CONSOLE_URL", "LOG_LEVEL"];
    const empty = Object.fromEntries(names.map((name) => [`INNKEEP_${name}`, ""]));
    expect(readSettings({}, empty)).toEqual(readSettings({}, {}));
  });

  it.each(["0.0.0.0", "127.evil.example", "localhost.example"])(
    "refuse the development server on the address %s",
    (host) => {
      expect(() => readSettings({ dev: true, host }, {})).toThrow("INNKEEP_HOST");
    },
  );
});
