import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { outdir } from "./settings.mjs";

/** The modules of packages that hold WebAssembly as base64, and the code that reads it from a file instead. */
const modules = [
  {
    path: /undici[\\/]lib[\\/]llhttp[\\/]llhttp-wasm\.js$/,
    literal: /'(AGFzbQ[\w+/=]+)'/,
    file: "llhttp.wasm",
    code: 'require("node:fs").readFileSync(__dirname + "/llhttp.wasm", "base64")',
  },
  {
    path: /yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
    literal: /"data:application\/octet-stream;base64,(AGFzbQ[\w+/=]+)"/,
    file: "yoga.wasm",
    code: '"data:application/octet-stream;base64," + process.getBuiltinModule("node:fs").readFileSync(new URL("yoga.wasm", import.meta.url), "base64")',
  },
];

/** Writes WebAssembly into files beside the programs: base64 packs a third worse. */
export function wasmBeside() {
  return {
    name: "wasm-beside",
    setup(building) {
      for (const module of modules)
        building.onLoad({ filter: module.path }, async ({ path }) => ({
          contents: await without(module, path),
        }));
    },
  };
}

async function without({ literal, file, code }, path) {
  const text = await readFile(path, "utf8");
  const [, base64] = literal.exec(text) ?? [];
  if (base64 === undefined) throw new Error(`${path} holds no WebAssembly as base64 anymore. Look at it.`);
  await mkdir(outdir, { recursive: true });
  await writeFile(join(outdir, file), Buffer.from(base64, "base64"));
  return text.replace(literal, () => code);
}
