import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Version } from "@cyclonedx/cyclonedx-library/Spec";
import { JsonStrictValidator } from "@cyclonedx/cyclonedx-library/Validation";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..", "..");
const text = (file: string) => readFile(join(root, file), "utf8");

const Bill = z.object({
  bomFormat: z.string(),
  specVersion: z.string(),
  serialNumber: z.string(),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(
    z.object({
      "bom-ref": z.string(),
      purl: z.string(),
      scope: z.string(),
      /** A package with several licences to choose from has an expression, such as `MIT OR Apache-2.0`. */
      licenses: z.array(
        z.union([z.object({ license: z.object({ id: z.string() }) }), z.object({ expression: z.string() })]),
      ),
      hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().length(128) })),
      properties: z.array(z.object({ name: z.literal("innkeep:inclusion"), value: z.string() })),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const Built = z.object({ bundles: z.record(z.string(), z.array(z.string())) });
const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const Own = z.object({
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});
const Lock = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });

const billText = await text("dist/sbom.cdx.json");
const bill = Bill.parse(JSON.parse(billText));
const bundles = { ...(await bundlesOf("programs")), ...(await bundlesOf("package")) };

/** The built files of a build target, each with the source files of which it contains a part. */
async function bundlesOf(target: string) {
  return Built.parse(JSON.parse(await text(`dist/built-${target}.json`))).bundles;
}

/** The folders of the packages of which a built file contains a part. */
async function packagesInside(): Promise<Map<string, z.infer<typeof Manifest>>> {
  const files = Object.values(bundles).flat();
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const read = async (folder: string) =>
    [folder, Manifest.parse(JSON.parse(await text(`${folder}/package.json`)))] as const;
  return new Map(await Promise.all([...new Set(folders)].map(read)));
}

const inside = await packagesInside();
const refOf = ({ name, version }: { readonly name: string; readonly version: string }) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;
const included = (way: string) =>
  bill.components
    .filter(({ properties }) => properties.some(({ value }) => value === way))
    .map(({ purl }) => purl)
    .sort();

describe("the bill of materials of the package", () => {
  it("has the form of CycloneDX 1.6", async () => {
    expect(await new JsonStrictValidator(Version.v1dot6).validate(billText)).toBeNull();
    const wrong = billText.replace('"SHA-512"', '"SHA-5120"');
    expect(await new JsonStrictValidator(Version.v1dot6).validate(wrong)).not.toBeNull();
  });

  it("describes this version of innkeep", async () => {
    const { name, version } = Manifest.parse(JSON.parse(await text("package.json")));
    expect(bill.metadata.component).toMatchObject({ name, version });
  });

  it("lists the packages within the built files, and no other package as bundled", () => {
    expect(inside.size).toBeGreaterThan(100);
    expect(included("bundled")).toEqual([...new Set([...inside.values()].map(refOf))].sort());
  });

  it("contains every file of the package that has code", async () => {
    const built = (await readdir(join(root, "dist"))).filter((file) => /\.c?js$/.test(file));
    const packed = built.filter((file) => !/^(bench|bench-.*|pictures|bare-.*)\.js$/.test(file));
    expect(Object.keys(bundles).sort()).toEqual(packed.map((file) => `dist/${file}`).sort());
  });

  it("lists the packages that npm installs with the package", async () => {
    const { dependencies, optionalDependencies } = Own.parse(JSON.parse(await text("package.json")));
    const declared = { ...dependencies, ...optionalDependencies };
    const names = Object.keys(declared);
    const installed = await Promise.all(
      names.map(async (name) => Manifest.parse(JSON.parse(await text(`node_modules/${name}/package.json`)))),
    );
    expect(included("installed")).toEqual(installed.map(refOf).sort());
    for (const { version } of installed) expect(Object.values(declared).join(" ")).toContain(version);
    const optional = bill.components.filter(({ scope }) => scope === "optional").map(({ purl }) => purl);
    expect(optional).toHaveLength(Object.keys(optionalDependencies).length);
  });

  it("contains the licence and the locked hash of each package", async () => {
    const { packages } = Lock.parse(JSON.parse(await text("package-lock.json")));
    for (const [folder, manifest] of inside) {
      const component = bill.components.find(({ purl }) => purl === refOf(manifest));
      const { license } = manifest;
      const stated = license.includes(" ") ? { expression: license } : { license: { id: license } };
      expect(component?.licenses, folder).toEqual([stated]);
      const hash = Buffer.from(component?.hashes[0]?.content ?? "", "hex").toString("base64");
      expect(packages[folder]?.integrity, folder).toBe(`sha512-${hash}`);
    }
  });

  it("contains the same packages as the notices", async () => {
    const notices = await text("dist/THIRD-PARTY-NOTICES.txt");
    const heads = [...notices.matchAll(/^(?:@[\w.-]+\/)?[\w.-]+ \d[\w.+-]* \(.+\)$/gm)].map(([head]) => head);
    const named = [...inside.values()].map(({ name, version, license }) => `${name} ${version} (${license})`);
    expect([...new Set(heads)].sort()).toEqual([...new Set(named)].sort());
  });

  it("contains the dependencies between the packages", () => {
    const refs = bill.components.map((component) => component["bom-ref"]);
    const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const [own] = bill.dependencies;
    expect([...(own?.dependsOn ?? [])].sort()).toEqual([...refs].sort());
    const of = (name: string) => refs.find((ref) => ref.startsWith(`pkg:npm/${name}@`)) ?? "";
    expect(needs.get(of("koa"))).toContain(of("accepts"));
    expect(needs.get(of("yaml"))).toEqual([]);
    expect(new Set(refs).size).toBe(refs.length);
  });
});
