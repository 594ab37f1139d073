// Commands start this process when they end. It stores the number of the newest version, which later commands
// read.
import os from "node:os";
import { checkForUpdate } from "../src/cli/update.ts";
import { homeFolder } from "../src/credentials/folders.ts";

const folders = { env: process.env, home: homeFolder(os), platform: process.platform };
const end = () => process.exit();
void checkForUpdate(folders, () => crypto.randomUUID()).then(end, end);
