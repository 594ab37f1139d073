import { copyFile } from "node:fs/promises";

// A CommonJS program needs the types under a name of its own. The file imports no other.
await copyFile("dist/types/local/testing.d.ts", "dist/testing.d.cts");
