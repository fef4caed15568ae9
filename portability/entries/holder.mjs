/** Takes a lock of a store, says so, and keeps it until it is killed: `holder.mjs <folder>`. */
import { fileStore } from "harness-kit/store";

const unlock = await fileStore(process.argv[2]).lock("name");
console.log(typeof unlock);
setInterval(() => {}, 1_000);
