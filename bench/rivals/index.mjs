/** Brings the libraries of this folder to `bench/process.mjs`, which lives under another package.json. */
export { default as nanoSpawn } from "nano-spawn";
export { x as tinyexec } from "tinyexec";
export { $ as zx } from "zx";
